// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { diagnose } from '../../src/cli/doctor.ts';
import { repair } from '../../src/cli/repair.ts';
import type { Repair } from '../../src/cli/repair-notes.ts';
import { readConfig } from '../../src/config.ts';
import { hasLabelChanges } from '../../src/labels/count.ts';
import { openStore } from '../../src/open-store.ts';
import { indexQueuedContent } from '../../src/search/index-words.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { lifetimeOfSuite, onEveryEngine, PATIENCE, temporaryFolder } from '../support/engines.ts';
import { execOn, placeAt } from '../support/place.ts';
import { startHere } from '../support/service.ts';
import { until } from '../support/until.ts';

const repairsInTrail = readOperation('test.repairs_in_trail', (db, _: null) =>
  db.selectFrom('audit_events').select('detail').where('event', '=', 'data_repaired').orderBy('id').execute(),
);

/** The checks that find something wrong, with what they say. */
async function wrongWith(settings: Record<string, string>): Promise<string[]> {
  const findings = await diagnose(() => readConfig({ ...settings, PORT: '1' }));
  return findings.flatMap(({ check, state, says }) =>
    state === 'wrong' && check !== 'service' ? [`${check}: ${says}`] : [],
  );
}

async function mend(settings: Record<string, string>): Promise<Repair[]> {
  return repair(readConfig({ ...settings, PORT: '1' }));
}

const states = (repairs: readonly Repair[]) => repairs.map(({ state }) => state);

onEveryEngine('stoa doctor --repair', (engine) => {
  const settingsOf = async (t: Parameters<typeof engine.settings>[0]) => ({
    DATA_DIR: await temporaryFolder(t),
    ...(await engine.settings(t)),
  });
  const isSqlite = engine.name === 'SQLite';

  it('A well installation has nothing to mend', async (t) => {
    const settings = await settingsOf(t);
    assert.deepEqual(await wrongWith(settings), []);
    assert.deepEqual(await mend(settings), []);
  });

  it('Wrong totals are counted again beside a running service, which counts on from there, and the trail says so', async (t) => {
    const settings = await settingsOf(t);
    const service = await startHere(t, settings);
    const { token } = await newAccount(service.url);
    await newItem(service.url, token);
    const total = isSqlite ? 'users_total' : 'users_bucket_sums_total';
    const part = isSqlite ? 'content_members_total' : 'content_members_bucket_sums_total';
    await execOn(settings, `UPDATE ${total} SET rows = rows + 5; UPDATE ${part} SET rows = rows + 7`);
    assert.deepEqual(
      (await wrongWith(settings)).map((each) => each.replace(/ are .*/, '')),
      ['totals: Of users there', 'totals: Of content_members there'],
    );
    assert.deepEqual(states(await mend(settings)), ['done', 'done']);
    assert.deepEqual(await wrongWith(settings), []);
    await newAccount(service.url);
    assert.deepEqual(await wrongWith(settings), []);
    const trail = await service.store.read(repairsInTrail, null);
    assert.deepEqual(
      trail.map(({ detail }) => JSON.parse(String(detail)).what),
      ['totals of users', 'totals of content_members'],
    );
  });

  it('An unfinished move or restore is wrong, and is not repaired, so that it can be continued', async (t) => {
    const settings = await settingsOf(t);
    const total = isSqlite ? 'users_total' : 'users_bucket_sums_total';
    await execOn(
      settings,
      `INSERT INTO move_progress (step, value) VALUES ('source', 'a'); UPDATE ${total} SET rows = rows + 5`,
    );
    const unfinished = / was interrupted or still runs; run the same restore or move again to finish it\.$/;
    const [found = '', ...more] = await wrongWith(settings);
    assert.match(found, /^database: A move or restore into the /);
    assert.match(found, unfinished);
    assert.deepEqual(more, []);
    const [refused, ...others] = await mend(settings);
    assert.deepEqual([refused?.state, others], ['refused', []]);
    assert.match(refused?.says ?? '', unfinished);
    await execOn(settings, 'DELETE FROM move_progress');
    assert.match((await wrongWith(settings)).join(), /^totals: Of users there are 0 rows/);
  });

  it('Wrong counts of labels, and tags, names and sign-ins that got lost, are found and mended beside a service', async (t) => {
    const settings = await settingsOf(t);
    const service = await startHere(t, settings);
    const { token, username } = await newAccount(service.url);
    const items: [tags: string[], category: string, visibility: string][] = [
      [['red', 'blue'], 'News', 'public'],
      [['red'], 'News', 'members'],
      [['blue'], '', 'public'],
    ];
    for (const [tags, category, visibility] of items)
      await newItem(service.url, token, { tags, category, visibility });
    const labels = async () => {
      const [tags, categories] = await Promise.all(
        ['tags', 'categories'].map(
          async (each) => await call(service.url, 'GET', `/api/content/${each}`, { token }),
        ),
      );
      return JSON.stringify([tags?.body.data.items, categories?.body.data.items]);
    };
    const counted = () =>
      until(async () => !(await service.store.read(hasLabelChanges, null)), 'the labels are counted');
    await counted();
    const before = await labels();
    assert.match(before, /"News"/);
    const copy = isSqlite
      ? `INSERT INTO users_search (users_search, rowid, username_key, email_key)
           SELECT 'delete', id, username_key, email_key FROM users WHERE id = 1;
         INSERT INTO users_search (rowid, username_key, email_key) VALUES (999, 'gone', 'gone')`
      : 'UPDATE sign_in_order SET last_sign_in_at = NULL';
    await execOn(
      settings,
      `UPDATE label_counts SET items = items + 1 WHERE name = 'red';
       UPDATE label_counts SET public_items = public_items + 1 WHERE name = 'blue';
       DELETE FROM label_counts WHERE name = 'News';
       INSERT INTO label_counts (kind, name, name_key, items, public_items) VALUES ('tag', 'gone', 'gone', 1, 1);
       DELETE FROM content_tags WHERE tag = 'red' AND content_id = 1;
       INSERT INTO content_tags (tag, content_id) VALUES ('gone', 1);
       ${copy}`,
    );
    assert.deepEqual(await wrongWith(settings), [
      'labels: The counts of 4 tags and categories are wrong; run "npm run stoa -- doctor --repair".',
      'copies: The table content_tags lacks 1 rows and has 1 too many; run "npm run stoa -- doctor --repair".',
      isSqlite
        ? 'copies: The table users_search lacks 1 rows and has 1 too many; run "npm run stoa -- doctor --repair". Meanwhile a running service takes no write, at a million accounts for about 10 seconds.'
        : 'copies: The table sign_in_order lacks 1 rows and has 1 too many; run "npm run stoa -- doctor --repair".',
    ]);
    assert.deepEqual(states(await mend(settings)), ['done', 'done', 'done']);
    assert.deepEqual(await wrongWith(settings), []);
    assert.equal(await labels(), before);
    await counted();
    assert.equal(await labels(), before);
    assert.deepEqual(await wrongWith(settings), []);
    assert.equal((await call(service.url, 'GET', '/api/content?tag=red', { token })).body.data.total, 2);
    assert.equal(
      (await call(service.url, 'GET', `/api/users?keyword=${username}`, { token })).body.data.total,
      1,
    );
  });

  it('A missing index is found and made; on SQLite only while no service runs', async (t) => {
    const settings = await settingsOf(t);
    const service = await startHere(t, settings);
    await execOn(settings, 'DROP INDEX webhook_deliveries_due');
    const wrong = [
      'schema: The index webhook_deliveries_due is missing or not that of this version; run "npm run stoa -- doctor --repair".',
    ];
    assert.deepEqual(await wrongWith(settings), wrong);
    const beside = await mend(settings);
    assert.deepEqual(states(beside), [isSqlite ? 'refused' : 'done']);
    if (isSqlite) {
      assert.match(
        beside[0]?.says ?? '',
        /webhook_deliveries_due is made only while no service uses the file/,
      );
      await service.stop();
      assert.deepEqual(states(await mend(settings)), ['done']);
    }
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('An index that a failed CREATE INDEX CONCURRENTLY left invalid is wrong until a repair can make it again', async (t) => {
    if (isSqlite) return;
    const settings = await settingsOf(t);
    const create =
      "CREATE UNIQUE INDEX CONCURRENTLY links_invited ON links (email_key) WHERE purpose = 'invite'";
    const columns = 'token_hash, purpose, email, email_key, carries, expires_at';
    await execOn(
      settings,
      `DROP INDEX links_invited; DROP INDEX users_keys_trigrams;
      INSERT INTO links (${columns}) VALUES ('1', 'invite', 'a', 'a', '{}', 1), ('2', 'invite', 'a', 'a', '{}', 1)`,
    );
    await assert.rejects(execOn(settings, create), /could not create unique index/);
    const trigrams = 'CREATE UNIQUE INDEX CONCURRENTLY users_keys_trigrams ON links (email)';
    await assert.rejects(execOn(settings, trigrams), /could not create unique index/);
    const wrong = (names: string) => [
      `integrity: PostgreSQL does not use the index ${names}; run "npm run stoa -- doctor --repair".`,
    ];
    assert.deepEqual(await wrongWith(settings), wrong('links_invited, users_keys_trigrams'));
    const [refused, made] = await mend(settings);
    assert.match(refused?.says ?? '', /^The index links_invited cannot be made: unique constraint/);
    assert.deepEqual([refused?.state, made?.state], ['refused', 'done']);
    assert.deepEqual(await wrongWith(settings), wrong('links_invited'));
    await execOn(settings, "DELETE FROM links WHERE token_hash = '2'");
    assert.deepEqual(states(await mend(settings)), ['done']);
    assert.deepEqual(await wrongWith(settings), []);
    assert.deepEqual(await mend(settings), []);
  });

  it('An index of another definition is kept until the right one is made, also where that fails', async (t) => {
    const settings = await settingsOf(t);
    const place = placeAt(settings);
    const columns = 'token_hash, purpose, email, email_key, carries, expires_at';
    await execOn(
      settings,
      `DROP INDEX links_invited;
      CREATE UNIQUE INDEX links_invited ON links (email_key, token_hash) WHERE purpose = 'invite';
      INSERT INTO links (${columns}) VALUES ('1', 'invite', 'a', 'a', '{}', 1), ('2', 'invite', 'a', 'a', '{}', 1)`,
    );
    const indexes = () =>
      place.sql(
        isSqlite
          ? "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'links' ORDER BY name"
          : `SELECT pg_get_indexdef(indexrelid) AS sql, indisvalid FROM pg_index
              WHERE indrelid = 'links'::regclass ORDER BY 1`,
      );
    const before = await indexes();
    const wrong = [
      'schema: The index links_invited is missing or not that of this version; run "npm run stoa -- doctor --repair".',
    ];
    const [refused, ...more] = await mend(settings);
    assert.match(refused?.says ?? '', /^The index links_invited cannot be made: /);
    assert.deepEqual([refused?.state, more], ['refused', []]);
    assert.deepEqual(await indexes(), before);
    assert.deepEqual(await wrongWith(settings), wrong);
    if (!isSqlite)
      await execOn(
        settings,
        `CREATE TABLE right_at_drop (indexes integer);
        CREATE FUNCTION note_drop() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO right_at_drop SELECT count(*) FROM pg_index WHERE indisvalid AND indisunique
            AND pg_get_indexdef(indexrelid) LIKE '% (email_key) WHERE (purpose = ''invite''::text)'
            AND EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE object_name = 'links_invited');
        END $$;
        CREATE EVENT TRIGGER noted ON sql_drop EXECUTE FUNCTION note_drop()`,
      );
    await execOn(settings, "DELETE FROM links WHERE token_hash = '2'");
    assert.deepEqual(states(await mend(settings)), ['done']);
    if (!isSqlite)
      assert.deepEqual(await place.sql('SELECT max(indexes) AS most FROM right_at_drop'), [{ most: 1 }]);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('What a killed repair of an index left is removed by the next one, and the doctor says so', async (t) => {
    if (isSqlite) return;
    const settings = await settingsOf(t);
    await execOn(
      settings,
      `DROP INDEX links_invited; INSERT INTO links (token_hash, purpose, email, email_key, carries, expires_at)
      VALUES ('1', 'invite', 'a', 'a', '{}', 1), ('2', 'invite', 'a', 'a', '{}', 1)`,
    );
    const begun = 'CREATE UNIQUE INDEX CONCURRENTLY links_invited_repaired ON links (email_key)';
    await assert.rejects(execOn(settings, begun), /could not create unique index/);
    assert.deepEqual(await wrongWith(settings), [
      'schema: The index links_invited is missing or not that of this version; run "npm run stoa -- doctor --repair".',
      'integrity: PostgreSQL does not use the index links_invited_repaired; run "npm run stoa -- doctor --repair".',
    ]);
    await execOn(settings, "DELETE FROM links WHERE token_hash = '2'");
    assert.deepEqual(states(await mend(settings)), ['done']);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('An index whose name a constraint has is refused with what to do, and that loses no uniqueness', async (t) => {
    if (isSqlite) return;
    const settings = await settingsOf(t);
    await execOn(
      settings,
      'DROP INDEX links_invited; ALTER TABLE links ADD CONSTRAINT links_invited UNIQUE (email_key)',
    );
    const [refused] = await mend(settings);
    const [, statement = ''] =
      /a constraint has its name; run "(.*?)" in the/.exec(refused?.says ?? '') ?? [];
    assert.deepEqual([refused?.state, statement !== ''], ['refused', true]);
    await execOn(settings, statement);
    assert.deepEqual(states(await mend(settings)), ['done']);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('A server without the extension for trigrams is advised to get it, and nothing is wrong', async (t) => {
    const settings = await settingsOf(t);
    if (isSqlite) return;
    await execOn(settings, 'DROP EXTENSION pg_trgm CASCADE');
    const findings = await diagnose(() => readConfig({ ...settings, PORT: '1' }));
    const advice = findings.filter(({ check, state }) => check === 'schema' && state === 'advice');
    assert.deepEqual(
      advice.map(({ says }) => /CREATE EXTENSION IF NOT EXISTS pg_trgm/.test(says)),
      [true],
    );
    assert.deepEqual(await wrongWith(settings), []);
    assert.deepEqual(await mend(settings), []);
  });

  it('A missing constraint is found, with what makes it', async (t) => {
    const settings = await settingsOf(t);
    if (isSqlite) {
      await execOn(
        settings,
        'DROP TABLE event_tickets; CREATE TABLE event_tickets (ticket_hash TEXT NOT NULL) STRICT',
      );
      const [found = ''] = (await wrongWith(settings)).filter((each) => each.includes('event_tickets '));
      assert.match(
        found,
        /^schema: The table event_tickets lacks a constraint or a column; .*stoa -- restore.* If a column is missing, .* restore an earlier backup\.$/,
      );
      return;
    }
    await execOn(settings, 'ALTER TABLE content DROP CONSTRAINT content_trashed');
    const [found = ''] = await wrongWith(settings);
    const statement =
      /run "(ALTER TABLE content DROP CONSTRAINT IF EXISTS content_trashed, ADD CONSTRAINT content_trashed CHECK .*)" in/.exec(
        found,
      )?.[1];
    await execOn(settings, statement ?? '');
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('A trigger that is missing or altered is found and made again beside a service, and what it keeps is mended', async (t) => {
    const settings = await settingsOf(t);
    const service = await startHere(t, settings);
    const counted = isSqlite ? 'users_counted_insert' : 'users.users_counted_insert';
    const queued = isSqlite ? 'content_queue' : 'content.content_queued';
    const dropped = ([table, name]: readonly string[]) =>
      `DROP TRIGGER ${isSqlite ? table : `${name} ON ${table}`};`;
    const altered = isSqlite
      ? 'CREATE TRIGGER content_queue AFTER UPDATE OF title ON content BEGIN SELECT 1; END'
      : 'CREATE TRIGGER content_queued AFTER UPDATE OF title ON content FOR EACH ROW EXECUTE FUNCTION content_queued()';
    await execOn(settings, [counted, queued].map((each) => dropped(each.split('.'))).join('\n') + altered);
    const { token } = await newAccount(service.url);
    assert.deepEqual(
      (await wrongWith(settings)).map((each) => each.replace(/ (is missing|are) .*/, '')),
      [`schema: The trigger ${queued}`, `schema: The trigger ${counted}`, 'totals: Of users there'],
    );
    assert.deepEqual(states(await mend(settings)), ['done', 'done', 'done']);
    assert.deepEqual(await wrongWith(settings), []);
    await newAccount(service.url);
    await newItem(service.url, token);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('A function or view that is not that of this version is found', async (t) => {
    const settings = await settingsOf(t);
    if (isSqlite) {
      await execOn(settings, 'DROP VIEW visible_content');
      const [found = '', ...more] = await wrongWith(settings);
      assert.match(found, /^schema: The view visible_content is missing /);
      assert.match(more.join(), /^database: .* cannot be read: no such table: visible_content/);
    } else {
      await execOn(
        settings,
        'CREATE OR REPLACE FUNCTION labels_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      );
      assert.match(
        (await wrongWith(settings)).join(),
        /^schema: The function labels_changed\(\) is missing or not/,
      );
    }
    assert.deepEqual(states(await mend(settings)), ['done']);
    assert.deepEqual(await wrongWith(settings), []);
    if (isSqlite) return;
    await execOn(settings, 'DROP VIEW content_order; ALTER TABLE mails ALTER secret_sealed TYPE varchar');
    assert.deepEqual(
      (await wrongWith(settings)).map((each) => each.replace(/ is missing .*/, '')),
      ['schema: The column mails.secret_sealed (text)', 'schema: The view content_order'],
    );
  });

  it('Triggers that a restore left disabled are found and enabled, with those of foreign keys', async (t) => {
    if (isSqlite) return;
    const settings = await settingsOf(t);
    await execOn(
      settings,
      'ALTER TABLE content DISABLE TRIGGER labels_deleted; ALTER TABLE users DISABLE TRIGGER ALL',
    );
    const says = (table: string, rest: string) =>
      `schema: Triggers of the table ${table} are disabled, so what they keep may be wrong${rest} Webhooks and live events may lack changes that were made meanwhile.`;
    assert.deepEqual(await wrongWith(settings), [
      says('content', '; run "npm run stoa -- doctor --repair".'),
      says(
        'users',
        ', and foreign keys are not checked; run "npm run stoa -- doctor --repair" as a superuser, or "ALTER TABLE users ENABLE TRIGGER ALL" in the database.',
      ),
    ]);
    assert.deepEqual(states(await mend(settings)), ['done', 'done']);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('A search index that lost its words is found and made again, and searches find the item', async (t) => {
    const settings = await settingsOf(t);
    const start = () => startHere(t, settings);
    const found = async (url: string) =>
      (await call(url, 'GET', '/api/content?keyword=chrysoprase')).body.data.total;
    let service = await start();
    const { token } = await newAccount(service.url);
    await call(service.url, 'POST', '/api/content', { token, body: { title: 'Chrysoprase', content: 'x' } });
    assert.equal(await found(service.url), 1);
    await service.stop();
    if (isSqlite) await writeFile(join(settings.DATA_DIR, 'stoa.db-derived'), 'x'.repeat(10_000));
    else await execOn(settings, 'DELETE FROM content_search');
    assert.match(
      (await wrongWith(settings)).join(),
      /^search index: [^;]*; .*run "npm run stoa -- doctor --repair"\.$/,
    );
    assert.deepEqual(states(await mend(settings)), ['done']);
    assert.deepEqual(await wrongWith(settings), []);
    service = await start();
    assert.equal(await found(service.url), 1);
  });

  it('Many changes that wait for the index, and mails and deliveries that wait long, are found', async (t) => {
    const settings = await settingsOf(t);
    // A database that no service used yet has no index.
    await mend(settings);
    const many = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)';
    await execOn(settings, `INSERT INTO content_search_queue (content_id) ${many} SELECT i FROM n`);
    await execOn(
      settings,
      `INSERT INTO mails (id, recipient, template, template_values, made_at, attempts, next_attempt_at, give_up_at)
        VALUES ('m', 'ada@example.org', 'password_changed', '{}', 1, 1, 1, 1);
      INSERT INTO webhooks (url, events, description, created_at, paused_at, paused_because)
        VALUES ('https://paused.example/secret', '[]', '', 1, 1, 'failing'), ('https://late.example/', '[]', '', 1, NULL, NULL);
      INSERT INTO webhook_deliveries (webhook_id, message_id, event, subject, payload, made_at, status, attempts, next_attempt_at)
        SELECT id, 'm', 'e', 's', '{}', 1, 'waiting', 1, 1 FROM webhooks`,
    );
    const wrong = (await wrongWith(settings)).map((each) => each.slice(0, 60));
    assert.deepEqual(wrong, [
      'search index: About 2000 changes wait for the search index; ',
      'outbox: 1 mails wait, the oldest since 1970-01-01T00:00:00.0',
      'webhooks: The webhook 1 to paused.example is paused because ',
      'webhooks: 1 deliveries wait, the oldest since 1970-01-01T00:',
    ]);
  });

  it('Many changes that wait for the index are nothing wrong while it catches up', async (t) => {
    const settings = await settingsOf(t);
    await mend(settings);
    const many = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)';
    await execOn(settings, `INSERT INTO content_search_queue (content_id) ${many} SELECT i FROM n`);
    const config = readConfig({ ...settings, PORT: '1' });
    const store = await openStore(config.database, { notice: () => {}, patience: PATIENCE });
    t.after(() => store.close());
    let isDone = false;
    const indexing = (async () => {
      for (; !isDone; await pause(100)) await store.write(indexQueuedContent, null);
    })();
    const findings = await diagnose(() => config).finally(() => {
      isDone = true;
    });
    await indexing;
    const found = findings.find(({ check }) => check === 'search index');
    assert.match(
      `${found?.state}: ${found?.says}`,
      /^advice: About \d+ changes wait for the search index; the service catches up, /,
    );
  });
});

onEveryEngine('stoa doctor --repair of files', (engine) => {
  const lifetime = lifetimeOfSuite();
  it('Rights are narrowed, and what a killed backup left is removed, but not what one under way writes', async () => {
    const settings = { DATA_DIR: await temporaryFolder(lifetime), ...(await engine.settings(lifetime)) };
    const backups = join(settings.DATA_DIR, 'backups');
    await mkdir(backups, { recursive: true });
    await chmod(backups, 0o755);
    const [left, fresh] = ['0123abcd', '4567abcd'].map((end) =>
      join(backups, `stoa-20260101T000000Z.unproved.zst.${end}.unfinished`),
    ) as [string, string];
    for (const file of [left, fresh]) await writeFile(file, '');
    await utimes(left, 1, 1);
    const findings = await diagnose(() => readConfig({ ...settings, PORT: '1' }));
    assert.ok(findings.some(({ check, says }) => check === 'left files' && says.startsWith(left)));
    assert.ok((await wrongWith(settings)).some((each) => each.startsWith(`rights: ${backups} is open`)));
    assert.deepEqual(states(await mend(settings)), ['done', 'done']);
    assert.deepEqual([existsSync(left), existsSync(fresh)], [false, true]);
    assert.equal((await stat(backups)).mode & 0o777, 0o700);
    assert.deepEqual(await wrongWith(settings), []);
  });

  it('A folder of backups that others use too stays open, and is advice', async () => {
    const settings = { DATA_DIR: await temporaryFolder(lifetime), ...(await engine.settings(lifetime)) };
    const BACKUP_DIR = await temporaryFolder(lifetime);
    await chmod(BACKUP_DIR, 0o775);
    const other = join(BACKUP_DIR, 'others.tar');
    await writeFile(other, '');
    const shared = { ...settings, BACKUP_DIR };
    const findings = await diagnose(() => readConfig({ ...shared, PORT: '1' }));
    assert.deepEqual(
      findings.filter(({ says }) => says.includes(other)).map(({ state }) => state),
      ['advice'],
    );
    assert.deepEqual([await wrongWith(shared), await mend(shared)], [[], []]);
    assert.equal((await stat(BACKUP_DIR)).mode & 0o777, 0o775);
  });
});
