import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/open-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { call, login, refresh } from '../support/client.ts';
import { emptySettings, type Lifetime, onEveryEngine, type TestEngine } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { codeOf, signInWith } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';

/** A database as an earlier version left it: schema, checksums and rows, and what its people know. */
const FIXTURE = new URL('../fixtures/schema-0017/', import.meta.url);
const LAST_STEP = '0017_account_closing';
const STEPS = MIGRATIONS.map(({ name }) => name);

const fixture = (name: string) => readFile(new URL(name, FIXTURE), 'utf8');
const known = JSON.parse(await fixture('known.json'));

/** Rows were inserted with their ids, which the sequences of PostgreSQL do not notice. */
const SEQUENCES = `DO $$ DECLARE it record; BEGIN
  FOR it IN SELECT table_name FROM information_schema.columns WHERE is_identity = 'YES' AND column_name = 'id' LOOP
    EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, ''id''), (SELECT coalesce(max(id), 0) + 1 FROM %I))',
      it.table_name, it.table_name);
  END LOOP; END $$`;

/** The settings of a new database that is a copy of the fixture. */
async function oldDatabase(t: Lifetime, engine: TestEngine): Promise<Record<string, string>> {
  const settings = { ...(await emptySettings(t, engine)), SEALING_KEY: known.sealingKey };
  const isPostgres = engine.name === 'PostgreSQL';
  await execOn(settings, await fixture(`schema.${isPostgres ? 'postgres' : 'sqlite'}.sql`));
  await execOn(settings, await fixture('data.sql'));
  if (isPostgres) await execOn(settings, SEQUENCES);
  return settings;
}

onEveryEngine('A database of an earlier version', (engine) => {
  it('gets the later steps only, and everybody in it goes on: sessions, passwords, codes, content and search', async (t) => {
    const settings = await oldDatabase(t, engine);
    const { database } = readConfig(settings);
    assert.deepEqual(await migrateStore(database), STEPS.slice(STEPS.indexOf(LAST_STEP) + 1));
    const service = await startService(
      t,
      { name: engine.name, settings: async () => settings },
      { PUBLIC_URL: known.publicUrl },
      { clock: () => known.now },
    );
    const { url } = service;
    const me = await call(url, 'GET', '/api/users/me', { token: known.accessToken });
    assert.deepEqual(
      [me.status, me.body.data.username, me.body.data.display_name],
      [200, 'ada', 'Ada Lovelace'],
    );
    assert.equal((await refresh(url, known.refreshToken)).status, 200);
    assert.equal((await call(url, 'GET', '/api/content', { token: known.personalToken })).body.data.total, 2);
    const search = () => call(url, 'GET', '/api/content?keyword=first+item&tag=kept');
    let found = await search();
    // On SQLite all items are indexed again, in the background.
    while (found.headers.has('stoa-index-lag')) found = await search();
    assert.deepEqual(
      found.body.data.items.map(({ title, version }: { title: string; version: number }) => [title, version]),
      [['Grüße again', 2]],
    );
    const { token } = await login(url, 'root', known.password);
    const list = await call(url, 'GET', '/api/users?per_page=100', { token });
    assert.deepEqual(
      list.body.data.items.map(({ username }: { username: string }) => username),
      ['root', 'ada', 'grace', 'bob', 'linux', 'дарья'],
    );
    const guarded = await signInWith(url, 'grace', codeOf(known.totpSecret, known.now + 30_000));
    assert.equal(guarded.status, 200, JSON.stringify(guarded.body));
    assert.equal((await signInWith(url, 'grace', known.recoveryCode)).status, 200);
    const trail = await call(url, 'GET', '/api/audit?event=account_closed', { token });
    assert.equal(trail.body.data.total, 1);
    const created = await call(url, 'POST', '/api/content', {
      token,
      body: { title: 'new', content: 'new' },
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    await service.stop();
    const next = { name: '9999_next', statements: () => ['CREATE TABLE next (a INTEGER)'] };
    assert.deepEqual(await migrateStore(database, [...MIGRATIONS, next]), [next.name]);
  });
});
