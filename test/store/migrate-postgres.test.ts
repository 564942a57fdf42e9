// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { createAccount } from '../../src/accounts/create.ts';
import { listUsers } from '../../src/accounts/list.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { openStore } from '../../src/open-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import type { Database } from '../../src/settings/database-url.ts';
import type { Migration } from '../../src/store/migration.ts';
import { startCluster } from '../support/cluster.ts';
import { stoa } from '../support/command.ts';
import { PATIENCE, temporaryFolder } from '../support/engines.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { ADA } from '../support/store.ts';
import { until } from '../support/until.ts';

describe('PostgreSQL databases', { concurrency: true }, () => {
  it('A PostgreSQL database has trigram indexes, which a search of three characters uses', async () => {
    const url = await newPostgresDatabase();
    await migrateStore({ kind: 'postgres', url, poolSize: 1 });
    assert.match(await explained(url), /Bitmap Index Scan on users_keys_trigrams/);
  });

  it('A database without pg_trgm is reported with what to do, and finds the same', async (t) => {
    const url = await newPostgresDatabase();
    // An installation without the extension, as its owner sees it.
    const owner = `owner_${url.slice(-8)}`;
    const name = new URL(url).pathname.slice(1);
    await execute(url, `create role ${owner} login password 'owner'`);
    await execute(url, `grant all on schema public to ${owner}`);
    await execute(url, `revoke create on database ${name} from public, ${owner}`);
    const asOwner = new URL(url);
    asOwner.username = owner;
    asOwner.password = 'owner';

    const notices: string[] = [];
    const notice = (message: string) => void notices.push(message);
    const store = await openStore(
      { kind: 'postgres', url: asOwner.href, poolSize: 2 },
      { notice, patience: PATIENCE },
    );
    t.after(async () => {
      await store.close();
      await execute(url, `drop owned by ${owner} cascade`);
      await execute(url, `drop role ${owner}`);
    });
    const toldOfTrigrams = () => notices.filter((each) => /reads whole tables/.test(each));
    assert.equal(toldOfTrigrams().length, 1, notices.join());
    assert.match(toldOfTrigrams()[0] ?? '', /^search works, .* "CREATE EXTENSION pg_trgm"/);
    await store.write(createAccount, ADA);
    const found = await store.read(listUsers, { keyword: 'ADA@Ex', page: 1, per_page: 20 });
    assert.deepEqual([found.total, found.items[0]?.username], [1, 'ada']);

    await execute(url, 'create extension pg_trgm');
    await migrateStore({ kind: 'postgres', url: asOwner.href, poolSize: 1 }, MIGRATIONS, notice);
    assert.equal(toldOfTrigrams().length, 1, notices.join());
    assert.match(await explained(url), /users_keys_trigrams/);
  });

  it('A time limit that the operator gave the database ends no step', async () => {
    const url = await newPostgresDatabase();
    await execute(url, `alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '1s'`);
    const slow: Migration = {
      name: '9999_slow',
      effect: { does: 'Sleeps.' },
      statements: () => ['SELECT pg_sleep(1.5)'],
    };
    const database = { kind: 'postgres', url, poolSize: 1 } as const;
    assert.equal((await migrateStore(database, [...MIGRATIONS, slow])).at(-1), slow.name);
  });

  it('A start that waits for another instance, or for a table that others use, says so', async () => {
    const url = await newPostgresDatabase();
    const database: Database = { kind: 'postgres', url, poolSize: 1 };
    await migrateStore(database, MIGRATIONS.slice(0, -1), () => {});
    const notices: string[] = [];
    const told = (what: string) => until(() => notices.some((each) => each.includes(what)), what);
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('SELECT pg_advisory_lock(7046210003)');
    // It lets the start read which steps were applied.
    await other.query('BEGIN; LOCK TABLE migrations IN EXCLUSIVE MODE');
    const migrated = migrateStore(database, MIGRATIONS, (notice) => notices.push(notice));
    await told('waiting for another instance that changes the tables');
    await other.query('SELECT pg_advisory_unlock(7046210003)');
    await told('a change of the tables waits for other work');
    await other.query('COMMIT');
    assert.deepEqual(await migrated, [MIGRATIONS.at(-1)?.name]);
    await other.end();
    assert.equal(notices.length, 2, notices.join());
  });

  it('A database that is not in UTF-8 is refused at the start and unchanged', async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const url = await newPostgresDatabase(`ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
      const { code, stderr } = await stoa(['serve'], { settings: { DATABASE_URL: url, PORT: '0' } });
      assert.equal(code, 1);
      assert.equal(stderr, `The database has the encoding ${encoding}; create one with UTF8.\n`);
      const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`;
      assert.deepEqual(await execute(url, tables), []);
    }
  });

  it('A database that cannot be used ends the start with one line that names it without the password', async () => {
    const url = new URL(await newPostgresDatabase());
    const cases: [part: 'port' | 'password' | 'pathname', wrong: string, reason: RegExp][] = [
      ['port', '1', /^The database 127\.0\.0\.1:1\/\S+ cannot be used: .*ECONNREFUSED/],
      ['password', 'wrong-secret', /cannot be used: password authentication failed/],
      ['password', '', NO_PASSWORD],
      ['pathname', '/missing', /\/missing cannot be used: database "missing" does not exist/],
    ];
    for (const [part, wrong, reason] of cases) {
      const changed = new URL(url);
      changed[part] = wrong;
      const { code, stderr } = await stoa(['migrate'], { settings: { DATABASE_URL: changed.href } });
      assert.equal(code, 1);
      assert.match(stderr, reason);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
      assert.doesNotMatch(stderr, /wrong-secret/);
    }
  });
});

describe('SCRAM passwords', () => {
  it('A missing SCRAM password ends the start with one line of places for it, and each of them works', async (t) => {
    const folder = await temporaryFolder(t);
    const hba = join(folder, 'pg_hba.conf');
    await writeFile(hba, 'host all all 127.0.0.1/32 scram-sha-256\n');
    // The server runs as another user when we are root.
    await chmod(folder, 0o755);
    const cluster = await startCluster({ hba_file: hba });
    t.after(() => cluster.remove());
    const url = new URL(cluster.url);
    const { password, host } = url;
    url.password = '';
    const migrate = (settings: Record<string, string> = {}) =>
      stoa(['migrate'], { settings: { HOME: folder, DATABASE_URL: url.href, ...settings } });
    const { code, stdout, stderr } = await migrate();
    assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2]);
    assert.match(stderr, NO_PASSWORD);
    await writeFile(join(folder, '.pgpass'), `${host}:*:*:${password}\n`, { mode: 0o600 });
    for (const settings of [{ DATABASE_URL: cluster.url }, { PGPASSWORD: password }, {}]) {
      assert.equal((await migrate(settings)).code, 0);
    }
  });
});

const NO_PASSWORD =
  /^The database \S+ asks for a password, and there is none; put it into DATABASE_URL, PGPASSWORD or ~\/\.pgpass\.\n$/;

async function explained(url: string): Promise<string> {
  const rows = await execute<{ 'QUERY PLAN': string }>(
    `${url}?options=-c%20enable_seqscan%3Doff%20-c%20enable_indexscan%3Doff`,
    `explain select id from users where visible = 1 and (username_key like '%ada%' or email_key like '%ada%')`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
