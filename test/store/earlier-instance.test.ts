// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { call, type Envelope, newName, PASSWORD } from '../support/client.ts';
import { known as first } from '../support/earlier-version.ts';
import { ENGINES, postgres } from '../support/engines.ts';
import { COLUMN_STEP, INDEX_STEP } from '../support/next-steps.ts';
import { placeAt } from '../support/place.ts';
import { startProcess } from '../support/process.ts';
import { releasedDatabase, releasedService, VERSIONS } from '../support/released-version.ts';

/** A version that is released is the neighbour of the one that is being built. */
const [NEWEST = ''] = VERSIONS.slice(-1);

/** Indexes that others replace. Without them an instance of that version is slower in the minutes of an upgrade. */
const REPLACED = /^CREATE INDEX content_(readers|scheduled_of) /;

/** There may be no step after the release yet. */
const STEPS = [...MIGRATIONS, COLUMN_STEP, INDEX_STEP];

describe('An instance of the released version before', { skip: !ENGINES.includes(postgres) }, () => {
  it(`An instance of ${NEWEST} goes on when this version changes the tables under it`, async (t) => {
    const { settings, known } = await releasedDatabase(t, postgres, NEWEST);
    const { url, stdout, stop } = await startProcess(
      t,
      { ...settings, PUBLIC_URL: first.publicUrl, SMTP_URL: 'log', CONSOLE: 'off' },
      await releasedService(t, NEWEST),
    );
    const applied = await migrateStore(readConfig(settings).database, STEPS);
    assert.deepEqual(applied.slice(-2), [COLUMN_STEP.name, INDEX_STEP.name]);

    const ask = asking(url);
    const { token } = await ask('POST', '/api/auth/login', '', {
      username: 'root',
      password: first.password,
    });
    for (const [path, data] of Object.entries(known.answers))
      assert.deepEqual(await ask('GET', path, token), data, path);
    await sevenOperations(ask);
    assert.equal(await stop('SIGTERM'), 0);
    // On a busy machine the database may answer late.
    const errors = stdout()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line) && !line.includes('"the database does not answer"'));
    assert.deepEqual(errors, [], 'its background work goes on too');
  });

  it(`The steps after ${NEWEST} add to its tables, and neither remove nor restrict what its instances use`, async (t) => {
    const { settings } = await releasedDatabase(t, postgres, NEWEST);
    const { sql } = placeAt(settings);
    const before = await sql(FACTS);
    await migrateStore(readConfig(settings).database, STEPS);
    const after = await sql(FACTS);
    const [old, now] = [before, after].map((facts) => new Set(facts.map(({ fact }) => fact)));
    const places = new Set(before.map(({ place }) => place));
    assert.deepEqual(
      before.filter(({ fact }) => !now?.has(fact) && !REPLACED.test(String(fact))),
      [],
      'A later step may remove this when no released version uses it any more: leave it out here then.',
    );
    assert.deepEqual(
      after.filter(({ fact, place, harmless }) => places.has(place) && !old?.has(fact) && !harmless),
      [],
      'Writes of the version before do not know this.',
    );
  });
});

type Ask = (method: string, path: string, token?: string, body?: object) => Promise<Envelope['data']>;

/** Answers of an earlier version may lack what the document of this version has. */
function asking(url: string): Ask {
  return async (method, path, token, body) => {
    const answer = await call(url, method, path, {
      undocumented: true,
      ...(token && { token }),
      ...(body && { body }),
    });
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
}

/** The interface, whose answers no version changes. */
async function sevenOperations(ask: Ask): Promise<void> {
  const account = { username: newName(), password: PASSWORD };
  await ask('POST', '/api/auth/register', '', { ...account, email: `${account.username}@example.org` });
  const { refresh_token } = await ask('POST', '/api/auth/login', '', account);
  const { token } = await ask('POST', '/api/auth/refresh', refresh_token);
  assert.equal((await ask('GET', `/api/users?keyword=${account.username}`, token)).total, 1);
  const item = { title: 'New', content: 'text', category: 'news', tags: ['one'] };
  const { id } = await ask('POST', '/api/content', token, item);
  const { title, version } = await ask('PUT', `/api/content/${id}`, token, { title: 'Changed' });
  assert.deepEqual([title, version], ['Changed', 2]);
  assert.deepEqual(await ask('DELETE', `/api/content/${id}`, token), { id });
}

/** What statements rely on, by a text that names it: columns of tables and views, and what restricts the rows of tables. */
const FACTS = `
  SELECT table_name AS place, format('%s.%s %s%s', table_name, column_name, data_type, CASE is_nullable WHEN 'NO' THEN ' NOT NULL' END) AS fact,
    is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' AS harmless
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL
  SELECT conrelid::regclass::text, format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)), false
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'p', 'u', 'x')
  UNION ALL
  SELECT confrelid::regclass::text, format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)), confdeltype IN ('c', 'n')
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'f'
  UNION ALL
  SELECT indrelid::regclass::text, pg_get_indexdef(indexrelid), NOT indisunique
  FROM pg_index WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)`;
