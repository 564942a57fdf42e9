// Needs: processes.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createAdmin, giveRole, setDisabled } from '../../src/cli/admin.ts';
import { rotateKeys } from '../../src/cli/keys.ts';
import { migrateDatabase } from '../../src/cli/migrate.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { narrow } from '../../src/store/private-files.ts';
import { PASSWORD } from '../support/client.ts';
import { type CommandResult, stoa, stoaUnprivileged } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { makeAdmin } from '../support/make-admin.ts';
import { execute, newMigratedDatabase, newPostgresDatabase } from '../support/postgres.ts';
import { SEALING_KEY } from '../support/sealing.ts';

type CommandHere = (config: Config) => Promise<void>;
const COMMANDS: Readonly<Record<string, CommandHere>> = {
  'admin create': (config) => createAdmin(config, { username: 'root', email: 'root@example.org' }),
  'admin role': (config) => giveRole(config, 'root', 'admin'),
  'admin disable': (config) => setDisabled(config, 'root', true),
  'admin enable': (config) => setDisabled(config, 'root', false),
  'keys rotate': rotateKeys,
};
const WHAT_TO_DO = 'start the service once (npm start), set DATA_DIR or DATABASE_URL as the service has it';
/** A user who is neither root nor whoever runs the tests. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

describe('A command that administers a service', { concurrency: 2 }, () => {
  for (const [name, command] of Object.entries(COMMANDS))
    it(`\`stoa ${name}\` refuses a missing SQLite database, and makes nothing`, async (t) => {
      const cwd = await temporaryFolder(t);
      const DATA_DIR = join(cwd, 'data');
      assertRefused(await commandHere({ DATA_DIR }, command, PASSWORD), join(DATA_DIR, 'stoa.db'));
      assert.deepEqual(await readdir(cwd), []);
    });

  // These two open a database that has to be there, each in a way of its own. The others do so as `keys rotate` does.
  for (const name of ['keys rotate', 'backup']) {
    it(`\`stoa ${name}\` as a process refuses a missing SQLite database, and makes nothing`, async (t) => {
      const cwd = await temporaryFolder(t);
      assertRefused(await stoa(name.split(' '), { cwd }), join(cwd, 'data', 'stoa.db'));
      assert.deepEqual(await readdir(cwd), []);
    });

    it(`\`stoa ${name}\` refuses a PostgreSQL database without the schema, and makes nothing`, async () => {
      const settings = { DATABASE_URL: await newPostgresDatabase() };
      // A backup lowers the priority of its process.
      const refused =
        name === 'backup' ? await stoa([name], { settings }) : await commandHere(settings, rotateKeys);
      assertRefused(refused, shown(settings.DATABASE_URL));
      const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`;
      assert.deepEqual(await execute(settings.DATABASE_URL, tables), []);
    });
  }

  it('A command says which SQLite file it used', async (t) => {
    const { DATA_DIR = '' } = await sqlite.settings(t);
    await assertTold({ DATA_DIR, SEALING_KEY }, join(DATA_DIR, 'stoa.db'), [
      migrateDatabase,
      ...Object.values(COMMANDS),
    ]);
  });

  it('A command says which PostgreSQL database it used, without the password', async () => {
    const DATABASE_URL = await newMigratedDatabase();
    // All others print it as `keys rotate` does.
    await assertTold({ DATABASE_URL }, shown(DATABASE_URL), [migrateDatabase, rotateKeys]);
  });

  it('A command run by root leaves the database to its owner, who can start the service', async (t) => {
    // Only root can run a command on what belongs to somebody else.
    const [uid, gid] = isRoot ? [NOBODY, NOBODY] : [userInfo().uid, userInfo().gid];
    const DATA_DIR = await temporaryFolder(t);
    // Makes the file of the lock too.
    await migrateStore(readConfig({ DATA_DIR }).database);
    for (const each of [DATA_DIR, join(DATA_DIR, 'stoa.db')]) await chown(each, uid, gid);
    // As after a restored backup.
    await rm(join(DATA_DIR, 'stoa.db-lock'));
    assert.equal((await stoa(['keys', 'rotate'], { settings: { DATA_DIR, SEALING_KEY } })).code, 0);
    // A key file that root makes has to be read by the service.
    const resealed = ['keys', 'reseal', '--to', join(DATA_DIR, 'sealing.key')];
    assert.equal((await stoa(resealed, { settings: { DATA_DIR, SEALING_KEY } })).code, 0);
    // The lock of backups stays.
    const made = join(await temporaryFolder(t), 'made.zst');
    assert.equal((await stoa(['backup', made], { settings: { DATA_DIR, SEALING_KEY } })).code, 0);
    assert.ok((await readdir(DATA_DIR)).includes('stoa.db-backup-lock'));
    // The service writes into the folder of backups, and removes old ones there.
    const BACKUP_DIR = join(DATA_DIR, 'new', 'backups');
    const settings = { DATA_DIR, SEALING_KEY, BACKUP_DIR };
    assert.equal((await stoa(['backup'], { settings })).code, 0);
    const names = await readdir(DATA_DIR, { recursive: true });
    assert.equal(names.filter((name) => name.endsWith('.ndjson.zst')).length, 1);
    for (const name of names) {
      assert.equal((await stat(join(DATA_DIR, name))).uid, uid, name);
    }
    const restored = await temporaryFolder(t);
    await chown(restored, uid, gid);
    const elsewhere = { DATA_DIR: restored, SEALING_KEY };
    assert.equal((await stoa(['restore', made], { settings: elsewhere })).code, 0);
    for (const name of await readdir(restored))
      assert.equal((await stat(join(restored, name))).uid, uid, `restored ${name}`);
  });
});

describe('A database that cannot be used', { concurrency: 2 }, () => {
  it('A folder of another user is refused with its path, its owner and what to do', async (t) => {
    const parent = await temporaryFolder(t);
    const folder = isRoot ? join(parent, 'theirs') : '/etc';
    if (isRoot) {
      await mkdir(folder, { mode: 0o755 });
      await chown(folder, NOBODY, NOBODY);
    }
    const owner = isRoot ? 'nobody' : 'root';
    const DATA_DIR = join(folder, 'stoa', 'data');
    const line = `The database ${join(DATA_DIR, 'stoa.db')} cannot be used: ${folder} belongs to ${owner} and may not be written by ${userInfo().username}; run this as ${owner}, change its owner, or set DATA_DIR or DATABASE_URL to another place.\n`;
    for (const command of [['serve'], ['migrate']]) {
      const { code, stderr } = await stoaUnprivileged(command, { settings: { DATA_DIR, PORT: '0' } });
      assert.deepEqual([code, stderr], [1, line]);
    }
  });

  it('A folder that may not be opened is refused in one line, by commands too', async (t) => {
    const folder = join(await temporaryFolder(t), 'closed');
    await mkdir(folder, { mode: 0o000 });
    const settings = { DATA_DIR: folder, PORT: '0' };
    for (const command of [['serve'], ['keys', 'rotate']]) {
      const { code, stderr } = await stoaUnprivileged(command, { settings });
      assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr);
      assert.ok(
        stderr.includes(`${folder} may not be written by its owner, ${userInfo().username};`),
        stderr,
      );
    }
  });

  it('A database file that is read-only is refused in one line', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const file = join(DATA_DIR, 'stoa.db');
    await migrateStore(readConfig({ DATA_DIR }).database);
    await chmod(file, 0o444);
    if (isRoot) await chown(file, NOBODY, NOBODY);
    const why = isRoot
      ? `${file} belongs to nobody and may not be written by root; run this as nobody,`
      : `${file} may not be written by its owner, ${userInfo().username};`;
    for (const command of [['serve'], ['keys', 'rotate']]) {
      const { code, stderr } = await stoaUnprivileged(command, { settings: { DATA_DIR, PORT: '0' } });
      assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr);
      assert.ok(stderr.startsWith(`The database ${file} cannot be used: ${why}`), stderr);
    }
  });

  it('A file that is open to others and belongs to another user is refused in one line', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const told =
      /^\S+ is open to other users \(mode 0\d+\), and its mode cannot be changed \(.*\); run "chmod 0\d00 .* or set DATA_DIR to a folder/;
    // Who is not root owns all files that a test makes.
    if (!isRoot) return assert.throws(() => narrow('/etc/hostname', 'DATA_DIR', () => {}), { message: told });
    await migrateStore(readConfig({ DATA_DIR }).database);
    const file = join(DATA_DIR, 'stoa.db-lock');
    await chmod(file, 0o666);
    await chown(file, NOBODY, NOBODY);
    const { code, stderr } = await stoaUnprivileged(['serve'], { settings: { DATA_DIR, PORT: '0' } });
    assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr);
    assert.match(stderr, told);
  });

  it('A lock file of another user is refused in one line', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    await migrateStore(readConfig({ DATA_DIR }).database);
    const lock = join(DATA_DIR, 'stoa.db-lock');
    await chmod(lock, 0o000);
    const { code, stderr } = await stoaUnprivileged(['serve'], { settings: { DATA_DIR, PORT: '0' } });
    assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr);
    assert.ok(stderr.includes(`${lock} may not be written by its owner, ${userInfo().username};`), stderr);
  });

  it('A folder where nothing can be made (/proc) is refused in one line without endless tries', async () => {
    const { code, stderr } = await stoa(['migrate'], { settings: { DATA_DIR: '/proc/x' } });
    assert.equal(code, 1, 'null: it was killed, for it went on');
    assert.match(stderr, /^The database \/proc\/x\/stoa\.db cannot be used: .*; set DATA_DIR [^\n]*\n$/);
  });

  it('A file in place of the folder is refused in one line', async () => {
    for (const DATA_DIR of ['/etc/hostname', '/etc/hostname/data']) {
      const { code, stderr } = await stoa(['serve'], { settings: { DATA_DIR, PORT: '0' } });
      assert.equal(code, 1);
      assert.match(stderr, /cannot be used: \/etc\/hostname is no folder; set DATA_DIR or [^\n]*\n$/);
    }
    assert.ok(existsSync('/etc/hostname'));
  });
});

/** How a line shows where a PostgreSQL database is. */
function shown(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

function assertRefused({ code, stdout, stderr }: CommandResult, database: string): void {
  assert.deepEqual([code, stdout], [1, '']);
  assert.ok(stderr.startsWith(`There is no database of Stoa at ${database}; ${WHAT_TO_DO}`), stderr);
  assert.equal(stderr.split('\n').length, 2, stderr);
}

async function assertTold(
  settings: Record<string, string>,
  database: string,
  commands: readonly CommandHere[],
): Promise<void> {
  // The last admin cannot be disabled.
  await makeAdmin(settings, 'other');
  for (const command of commands) {
    const { code, stdout, stderr } = await commandHere(settings, command, PASSWORD);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.split('\n')[0], `Database: ${database}`);
    assert.ok(!(stdout + stderr).includes(':test@'), 'the password is not shown');
  }
}
