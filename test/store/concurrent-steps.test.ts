// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { createAccount } from '../../src/accounts/create.ts';
import { readConfig } from '../../src/config.ts';
import { createContent } from '../../src/content/create.ts';
import { migrateStore, planMigration } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { DIALECT } from '../../src/store/postgres/migrate.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { ENGINES, emptySettings, onEveryEngine, PATIENCE, postgres } from '../support/engines.ts';
import { COLUMN_STEP, INDEX_STEP } from '../support/next-steps.ts';
import { placeAt } from '../support/place.ts';
import { connect } from '../support/postgres.ts';
import { ADA, newCaller, openStoreOn } from '../support/store.ts';
import { until } from '../support/until.ts';

const STEPS = [...MIGRATIONS, INDEX_STEP];
const NAME = 'content_by_time_and_title';
/** The patience of a store where what waits behind a step has little more time than in a service. */
const AS_SERVED = 3;
const SCRIPT = new URL('../support/index-building-process.ts', import.meta.url).pathname;

/** A database of this version in use, whose next step makes an index. */
async function inUse(t: TestContext, settings: Record<string, string>, patience = PATIENCE) {
  const { database } = readConfig(settings);
  const store = await openStoreOn(t, database, { patience });
  const caller = await newCaller(store);
  const write = (title: string) =>
    store.write(createContent, { title, content: '', ...BARE_ITEM, ...caller, now: 0 });
  await write('before');
  return { database, write, migrate: () => migrateStore(database, STEPS) };
}

onEveryEngine('A step that makes an index concurrently', (engine) => {
  it('The index is made in an empty database and in one with rows, once', async (t) => {
    const empty = await emptySettings(t, engine);
    assert.equal((await migrateStore(readConfig(empty).database, STEPS)).at(-1), INDEX_STEP.name);
    const { migrate } = await inUse(t, await engine.settings(t));
    assert.deepEqual(await migrate(), [INDEX_STEP.name]);
    assert.deepEqual(await migrate(), []);
  });

  it('The plan says that nothing waits for it on PostgreSQL, and how many rows it reads', async (t) => {
    const { database } = await inUse(t, await engine.settings(t));
    const waits = engine === postgres ? 'Nothing waits.' : 'All writes wait.';
    assert.deepEqual(
      (await planMigration(database, STEPS)).map(({ blocks, rows }) => [blocks, rows]),
      [[waits, { content: 1 }]],
    );
  });
});

/** A write of another client that is not committed yet: an index can be neither begun nor finished before its end. */
async function writeOf(
  t: TestContext,
  url: string,
  statement = "UPDATE content SET title = 'held'",
): Promise<Client> {
  const holder = await connect(url);
  t.after(() => holder.end());
  await holder.query(`BEGIN; ${statement}`);
  return holder;
}

/** Resolves when so many connections wait for a lock of others. */
async function untilWaiting(watcher: Client, count: number): Promise<void> {
  const query =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await until(async () => (await watcher.query(query)).rowCount === count, `${count} connections wait`);
}

describe('A migration on PostgreSQL under requests', { skip: !ENGINES.includes(postgres) }, () => {
  const start = async (t: TestContext, patience = PATIENCE) => {
    const settings = await postgres.settings(t);
    const url = settings.DATABASE_URL ?? '';
    const isValid = async (name = NAME) =>
      (
        await placeAt(settings).sql(
          `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${name}')`,
        )
      ).map(({ valid }) => valid);
    const [used, watcher] = [await inUse(t, settings, patience), await connect(url)];
    t.after(() => watcher.end());
    return { ...used, settings, url, watcher, isValid };
  };

  it('Writes of the earlier version go on while the index is made', async (t) => {
    const { url, migrate, write, watcher, isValid } = await start(t, AS_SERVED);
    const holder = await writeOf(t, url);
    const migrated = migrate();
    await untilWaiting(watcher, 1);
    await write('meanwhile');
    await holder.query('COMMIT');
    assert.deepEqual(await migrated, [INDEX_STEP.name]);
    assert.deepEqual(await isValid(), [true]);
  });

  it('Of instances that start at once one makes the index, and those that wait do not stop it', async (t) => {
    const { url, migrate, watcher, isValid } = await start(t);
    const holder = await writeOf(t, url);
    const migrated = [migrate(), migrate(), migrate()];
    await untilWaiting(watcher, 1);
    // Time for the others to begin to wait.
    await pause(300);
    await holder.query('COMMIT');
    assert.deepEqual((await Promise.all(migrated)).flat(), [INDEX_STEP.name]);
    assert.deepEqual(await isValid(), [true]);
  });

  it('People register while a start makes the index for searches', async (t) => {
    const { url, database, settings, watcher, isValid } = await start(t);
    const store = await openStoreOn(t, database);
    await placeAt(settings).sql('DROP INDEX users_keys_trigrams');
    const holder = await writeOf(t, url, 'UPDATE users SET created_at = 1');
    const migrated = migrateStore(database);
    await untilWaiting(watcher, 1);
    await store.write(createAccount, { ...ADA, username: 'grace', email: 'grace@example.org' });
    await holder.query('COMMIT');
    assert.deepEqual(await migrated, []);
    assert.deepEqual(await isValid('users_keys_trigrams'), [true]);
  });

  it('A change of a table that a backup reads lets requests go on, and is made when the backup is done', async (t) => {
    const { url, database, write, watcher } = await start(t, AS_SERVED);
    const backup = await connect(url);
    t.after(() => backup.end());
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT FROM content');
    const migrated = migrateStore(database, [...MIGRATIONS, COLUMN_STEP, INDEX_STEP]);
    await untilWaiting(watcher, 1);
    // This waits behind the change, and would fail after six seconds.
    await write('behind');
    await write('between two tries');
    await backup.query('COMMIT');
    assert.deepEqual(await migrated, [COLUMN_STEP.name, INDEX_STEP.name]);
  });

  it('An index whose making was killed is made again by the next start', async (t) => {
    const { url, migrate, settings, watcher, isValid } = await start(t);
    const holder = await writeOf(t, url);
    const { PATH } = process.env;
    const env = { PATH, ...COMPILE_CACHE, ...settings };
    const killed = spawn(process.execPath, [SCRIPT], { env, stdio: 'inherit' });
    t.after(() => killed.kill('SIGKILL'));
    await untilWaiting(watcher, 1);
    const ended = once(killed, 'exit');
    killed.kill('SIGKILL');
    await ended;
    // The server notices within a second or two that its client is dead.
    await untilWaiting(watcher, 0);
    assert.deepEqual(await isValid(), [false]);
    await holder.query('COMMIT');
    assert.deepEqual(await migrate(), [INDEX_STEP.name]);
    assert.deepEqual(await isValid(), [true]);
  });

  it('An index that was made before the kill of its start is kept, and its step is done', async (t) => {
    const { migrate, settings, isValid } = await start(t);
    await placeAt(settings).sql(...INDEX_STEP.statements(DIALECT));
    assert.deepEqual(await migrate(), [INDEX_STEP.name]);
    assert.deepEqual(await isValid(), [true]);
  });
});
