// Needs: processes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, rename, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { baseline } from '../../src/schema/0001_baseline.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { type Migration, MigrationError } from '../../src/store/migration.ts';
import { bundled } from '../support/bundled.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { emptySettings, onEveryEngine, temporaryFolder } from '../support/engines.ts';
import { insertNote, readNote } from '../support/operations.ts';
import { randomFrom } from '../support/seed.ts';
import { ADA, newCaller, newEmptyDatabase, openStoreOn, WITH_TEST_OPERATIONS } from '../support/store.ts';

const NAMES = MIGRATIONS.map(({ name }) => name);
/** ALL_MOMENTS=1 tries every statement. */
const KILLS = 8;
/** A process that was killed may hold its lock for a moment, and the next one says so. */
const WAITED = /^Note: waiting for another instance that changes the tables, for up to 10 minutes\n$/;
const FROM_A_BUILD =
  /made by a development build .* its last step is "9999_next", that of this version is "9999_\w+", and they differ from the step "9999_next" on\. Start the build that made it, export/;
const NEXT: Migration = {
  name: '9999_next',
  effect: { does: 'Makes a table.' },
  statements: () => ['CREATE TABLE next (a INTEGER)'],
};

onEveryEngine('Migrations', (engine) => {
  it('A migration applies every step once, in order, and nothing the next time', async (t) => {
    const database = await newEmptyDatabase(t, engine);
    assert.deepEqual(await migrateStore(database), NAMES);
    assert.deepEqual(await migrateStore(database), []);
  });

  it('A migration applies only a new step, and keeps what is there', async (t) => {
    const database = await newEmptyDatabase(t, engine);
    const store = await openStoreOn(t, database, WITH_TEST_OPERATIONS);
    await store.write(insertNote, 'note');
    assert.deepEqual(await migrateStore(database, [...MIGRATIONS, NEXT]), [NEXT.name]);
    assert.equal(await store.read(readNote, 'note'), '0');
  });

  it('A migration refuses a database of a development build with other steps, and says what to do', async (t) => {
    const database = await newEmptyDatabase(t, engine);
    await migrateStore(database, [...MIGRATIONS, NEXT]);
    // A development build may have edited a step, or have had another one.
    const edited = { ...NEXT, statements: () => ['CREATE TABLE next (a INTEGER, b INTEGER)'] };
    for (const other of [edited, { ...NEXT, name: '9999_other' }]) {
      await assert.rejects(migrateStore(database, [...MIGRATIONS, other]), (error) => {
        assert.ok(error instanceof MigrationError);
        assert.match(error.message, FROM_A_BUILD);
        return true;
      });
    }
  });

  it('A migration refuses a database of a newer version, and says what to do', async (t) => {
    const database = await newEmptyDatabase(t, engine);
    await migrateStore(database, [...MIGRATIONS, NEXT]);
    await assert.rejects(migrateStore(database), (error) => {
      assert.ok(error instanceof MigrationError);
      const says = `its last step is "9999_next", and that of this version is "${NAMES.at(-1)}". Start the version`;
      assert.ok(error.message.includes(says), error.message);
      return true;
    });
  });

  it('A migration leaves nothing of a step whose last statement fails', async (t) => {
    const database = await newEmptyDatabase(t, engine);
    const broken = { ...NEXT, statements: () => ['CREATE TABLE next (a INTEGER)', 'THIS IS NO STATEMENT'] };
    await assert.rejects(migrateStore(database, [...MIGRATIONS, broken]));
    assert.deepEqual(await migrateStore(database, [...MIGRATIONS, NEXT]), [...NAMES, NEXT.name]);
  });

  it('A migration killed before any of its statements leaves all or nothing, and the next one finishes', async (t) => {
    const { output } = await migrateInProcess(await emptySettings(t, engine));
    const { moments }: { moments: number } = JSON.parse(output);
    assert.ok(moments > 20, `${moments} moments`);
    const random = randomFrom(t);
    const some = Array.from({ length: KILLS }, () => Math.floor(random() * moments));
    // One database for all kills: what one of them left would be in the way of the next.
    const settings = await emptySettings(t, engine);
    for (const moment of process.env.ALL_MOMENTS === '1' ? Array(moments).keys() : some) {
      const { signal, errors } = await migrateInProcess(settings, moment);
      assert.deepEqual([signal, errors.replace(WAITED, '')], ['SIGKILL', ''], `at moment ${moment}`);
    }
    assert.deepEqual(await migrateStore(readConfig(settings).database), NAMES);
  });

  it('A migration by several processes at once on one empty database happens once', async (t) => {
    const settings = await emptySettings(t, engine);
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrateInProcess(settings)));
    assert.deepEqual(
      runs.map(({ signal, errors }) => signal ?? errors.replace(WAITED, '')),
      ['', '', '', ''],
    );
    const applied = runs.map(({ output }): string[] => JSON.parse(output).applied);
    assert.deepEqual(
      applied.filter((names) => names.length > 0),
      [NAMES],
    );
    const store = await openStoreOn(t, readConfig(settings).database);
    assert.equal((await store.write(createAccount, ADA)).id, 1);
  });
});

/** As https://sqlite.org/lang_altertable.html (7) has it. PostgreSQL alters a table in its place. */
const REBUILD: Migration = {
  name: '9999_rebuild',
  effect: { does: 'Copies accounts into a new table.', reads: ['users'] },
  statements: (dialect) => [
    'DROP VIEW visible_users',
    ...baseline
      .statements(dialect)
      .filter((each) => each.startsWith('CREATE TABLE users ('))
      .map((each) => each.replace('users', 'users_anew')),
    // The columns of the baseline, whatever later steps have added.
    `INSERT INTO users_anew SELECT id, username, username_key, email, email_key, password_hash, role, visible,
      created_at, disabled_at FROM users`,
    'DROP TABLE users',
    'ALTER TABLE users_anew RENAME TO users',
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
  ],
};

describe('Migrations on SQLite', () => {
  it('A migration may rebuild a table on SQLite, and keeps every row that refers to it', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const { database } = readConfig(settings);
    const store = await openStoreOn(t, database);
    const { userId } = await newCaller(store);
    assert.deepEqual(await migrateStore(database, [...MIGRATIONS, REBUILD]), [REBUILD.name]);
    const file = new DatabaseSync(join(settings.DATA_DIR, 'stoa.db'));
    t.after(() => file.close());
    const query = 'SELECT user_id, username FROM sessions JOIN users ON users.id = user_id';
    assert.deepEqual({ ...file.prepare(query).get() }, { user_id: userId, username: ADA.username });
    file.exec('PRAGMA foreign_keys = ON');
    const stranger = `INSERT INTO sessions
      (id, user_id, token_hash, created_at, rotated_at, idle_expires_at, absolute_expires_at)
      SELECT id || 2, 99, token_hash, 0, 0, 0, 0 FROM sessions`;
    assert.throws(() => file.exec(stranger), /FOREIGN KEY/);
  });

  it('A migration on SQLite keeps one copy of its own, with which the version before starts again, and all copies of the operator', async (t) => {
    const folder = await temporaryFolder(t);
    const { database } = readConfig({ DATA_DIR: folder });
    const store = await openStoreOn(t, database, WITH_TEST_OPERATIONS);
    await store.write(insertNote, 'note');
    assert.deepEqual(await copiesIn(folder), [], 'a new database needs none');
    const notices: string[] = [];
    const upgrade = (...steps: Migration[]) =>
      migrateStore(database, [...MIGRATIONS, ...steps], (notice) => notices.push(notice));
    await upgrade(NEXT);
    await upgrade(NEXT);
    const [copy = '', ...others] = await copiesIn(folder);
    assert.deepEqual([basename(copy), others], ['stoa.db-before-9999_next', []]);
    assert.equal((await stat(copy)).mode & 0o777, 0o600);
    assert.equal(notices.length, 1);
    assert.ok(notices.join().includes(`was copied to ${copy} before`), notices.join());
    assert.match(
      notices.join(),
      /put the copy in the place of \S+, run "npm run stoa -- mark-restored" of the version before, if it has that command, and start that version$/,
    );

    // Copies that the operator made.
    const mine = ['stoa.db-before-upgrade', 'stoa.db-before-9999_next.mine'];
    for (const name of mine) await writeFile(join(folder, name), '');
    await writeFile(`${copy}.unfinished`, 'left by a kill');
    await upgrade(NEXT, { ...NEXT, name: '9999_other', statements: () => ['DROP TABLE next'] });
    await store.close();
    assert.deepEqual(
      (await copiesIn(folder)).map((each) => basename(each)).sort(),
      [...mine, 'stoa.db-before-9999_other'].sort(),
    );
    for (const name of await readdir(folder))
      if (/^stoa\.db-(wal|shm|derived.*)$/.test(name)) await rm(join(folder, name));
    await rename(`${copy.slice(0, -'next'.length)}other`, join(folder, 'stoa.db'));
    assert.deepEqual(await upgrade(NEXT), []);
    const file = new DatabaseSync(join(folder, 'stoa.db'));
    t.after(() => file.close());
    assert.deepEqual({ ...file.prepare('SELECT name FROM secrets').get() }, { name: 'note' });
    assert.deepEqual(file.prepare('SELECT * FROM next').all(), []);
  });

  it('A migration on SQLite without room for the copy is refused with what to do, and changes nothing', async (t) => {
    const folder = await temporaryFolder(t);
    const { database } = readConfig({ DATA_DIR: folder });
    const store = await openStoreOn(t, database, WITH_TEST_OPERATIONS);
    await store.write(insertNote, 'note');
    await store.close();
    const file = join(folder, 'stoa.db');
    const { size } = await stat(file);
    const { bavail, bsize } = await statfs(folder);
    // A file with a hole, which takes no room and seems to need more than there is.
    await truncate(file, (bavail + 1_000_000) * bsize);
    await assert.rejects(
      migrateStore(database, [...MIGRATIONS, NEXT]),
      /has no room for the copy of the database .* make \d+ MB free, and start again\.$/,
    );
    await truncate(file, size);
    assert.deepEqual(await copiesIn(folder), []);
    assert.deepEqual(await migrateStore(database, [...MIGRATIONS, NEXT]), [NEXT.name]);
  });

  it('A migration refuses a step on SQLite that leaves a row without the row that it refers to', async (t) => {
    const { database } = readConfig({ DATA_DIR: await temporaryFolder(t) });
    const store = await openStoreOn(t, database);
    await newCaller(store);
    const careless = { ...NEXT, statements: () => ['DELETE FROM users'] };
    await assert.rejects(
      migrateStore(database, [...MIGRATIONS, careless]),
      /rows of "sessions" without the row/,
    );
    assert.deepEqual(await migrateStore(database), []);
  });
});

/** The paths of the copies that migrations made. */
async function copiesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.includes('-before-'));
  return names.map((name) => join(folder, name));
}

const script = bundled(new URL('../support/migrating-process.ts', import.meta.url));

interface Run {
  readonly output: string;
  readonly errors: string;
  readonly signal: string | null;
}

/** Migrates in a process of its own, which kills itself at that moment. */
async function migrateInProcess(settings: Record<string, string>, deadly?: number): Promise<Run> {
  const args = deadly === undefined ? [await script] : [await script, String(deadly)];
  const { PATH } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { env: { PATH, ...COMPILE_CACHE, ...settings } },
      (_error, output, errors) => resolve({ output, errors, signal: child.signalCode }),
    );
  });
}
