// Needs: processes.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, cp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { TABLES } from '../../src/features.ts';
import { openInPlace } from '../../src/open-database.ts';
import { markRestoredInPlace } from '../../src/transfer/backup/mark-restored.ts';
import { prepareInPlace } from '../../src/transfer/prepare.ts';
import { type Account, call, login, newAccount, newItem } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startHere } from '../support/service.ts';

const REFUSAL =
  /^The log \S+stoa\.db-wal does not belong to the database file \S+stoa\.db, .*older copy.*remove \S+stoa\.db-wal, \S+stoa\.db-shm and \S+stoa\.db-derived\*, run "npm run stoa -- mark-restored" and start again; .*Nothing was changed\.$/;

/**
 * A way to have a copy of the database file: `make` is called once the service has written, and returns with a service
 * that runs.
 */
interface Copy {
  readonly title: string;
  readonly make: (moment: Moment) => Promise<ServiceProcess>;
}

interface Moment {
  readonly t: TestContext;
  readonly settings: { readonly DATA_DIR: string };
  readonly service: ServiceProcess;
  readonly database: string;
  readonly copy: string;
}

const COPIES: readonly Copy[] = [
  {
    title: 'copied while the service was stopped, before its last start',
    make: async ({ t, settings, service, database, copy }) => {
      assert.equal(await service.stop('SIGTERM'), 0);
      await copyFile(database, copy);
      return startProcess(t, settings);
    },
  },
  {
    title: 'made by `.backup` while the service ran',
    make: async ({ service, database, copy }) => {
      await copyByBackup(database, copy);
      return service;
    },
  },
  {
    title: 'made by VACUUM INTO while the service ran',
    make: async ({ service, database, copy }) => {
      withDatabase(database, (db) => db.prepare('VACUUM INTO ?').run(copy));
      return service;
    },
  },
  {
    title: 'made by `.backup` before the log began anew',
    make: async ({ service, database, copy }) => {
      await copyByBackup(database, copy);
      putLogIntoFile(database);
      return service;
    },
  },
  {
    title: 'made by VACUUM INTO before the log began anew',
    make: async ({ service, database, copy }) => {
      withDatabase(database, (db) => db.prepare('VACUUM INTO ?').run(copy));
      putLogIntoFile(database);
      return service;
    },
  },
];

/** `cp` writes into the file that is there, `mv` puts another in its place. */
const PUT_BACK = { cp: copyFile, mv: rename };

describe('Older database files next to the log of a crash', { concurrency: 2 }, () => {
  for (const [index, { title, make }] of COPIES.entries()) {
    const how = index % 2 === 0 ? 'cp' : 'mv';
    it(`An older file put back by ${how}, ${title}, is refused until what the refusal says is done`, async (t) => {
      const settings = await newDatabase(t);
      const database = join(settings.DATA_DIR, 'stoa.db');
      const copy = join(await temporaryFolder(t), 'stoa.db');
      const first = await startProcess(t, settings);
      const account = await newAccount(first.url);
      await writeItems(first, account, 'older');
      const second = await make({ t, settings, service: first, database, copy });
      await writeItems(second, account, 'newer');
      await kill(second);
      await PUT_BACK[how](copy, database);

      const before = await fingerprints(settings.DATA_DIR);
      assert.ok(before['stoa.db-wal'], 'the crash left a log');
      await assert.rejects(startHere(t, settings), { message: REFUSAL });
      // All look at the log in the same function, so one of the files shows that processes and commands do.
      for (const command of index === 0 ? ['serve', 'migrate'] : []) {
        const refused = await stoa([command], { settings: { ...settings, PORT: '0' } });
        assert.deepEqual([refused.code, refused.stdout], [1, '']);
        assert.match(refused.stderr.trimEnd(), REFUSAL);
      }
      assert.deepEqual(await fingerprints(settings.DATA_DIR), before);

      for (const name of await readdir(settings.DATA_DIR))
        if (/^stoa\.db-(wal|shm|derived)/.test(name)) await rm(join(settings.DATA_DIR, name));
      if (index === 0) assert.equal((await stoa(['mark-restored'], { settings })).code, 0);
      else await markRestored(database);
      const third = await startHere(t, settings);
      const { token } = await login(third.url, account.username);
      await newItem(third.url, token, { title: 'after the restore' });
      assert.deepEqual(await countFound(third, token, account), {
        older: ITEMS,
        newer: 0,
        kept: 0,
        users: 1,
      });
      await third.stop();
      assertWhole(database);
    });
  }
});

describe('Logs that belong to their files', { concurrency: 2 }, () => {
  it('A log that belongs to its file is never refused, however often the service is killed', async (t) => {
    const settings = await newDatabase(t);
    const database = join(settings.DATA_DIR, 'stoa.db');
    let service = await startProcess(t, settings);
    const account = await newAccount(service.url);
    for (let round = 0; round < 5; round++) {
      const writing = writeUntilGone(service, account);
      // Others of SQLite's users put the log into the file at any moment, as the service does by itself.
      for (let times = 0; times < 2 * round; times++) {
        putLogIntoFile(database);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await kill(service);
      await writing;
      service = await startProcess(t, settings);
      assert.equal((await call(service.url, 'GET', '/readyz')).status, 200);
    }
    assert.equal(await service.stop('SIGTERM'), 0);
    assertWhole(database);
  });

  it('A log that belongs to its file is used when the whole folder is copied', async (t) => {
    const settings = await newDatabase(t);
    const service = await startProcess(t, settings);
    const account = await newAccount(service.url);
    await writeItems(service, account, 'kept');
    await kill(service);
    const DATA_DIR = join(await temporaryFolder(t), 'copy');
    await cp(settings.DATA_DIR, DATA_DIR, { recursive: true });
    const other = await startHere(t, { DATA_DIR });
    assert.equal((await countFound(other, account.token, account)).kept, ITEMS);
    await other.stop();
    assertWhole(join(DATA_DIR, 'stoa.db'));
  });
});

const ITEMS = 20;

/** As the command does that the refusal names. */
async function markRestored(file: string): Promise<void> {
  const end = await openInPlace({ kind: 'sqlite', file });
  await markRestoredInPlace(end, await prepareInPlace(end, TABLES), Date.now());
  await end.close();
}

/** With a schema and no rows, so that no start has to make it. */
async function newDatabase(t: TestContext): Promise<{ DATA_DIR: string }> {
  const { DATA_DIR = '' } = await sqlite.settings(t);
  return { DATA_DIR };
}

async function writeItems({ url }: ServiceProcess, { token }: Account, word: string): Promise<void> {
  const one = (_: unknown, index: number) =>
    newItem(url, token, { title: `${word} ${index}`, content: `${word} ${'text '.repeat(index * 40)}` });
  await Promise.all(Array.from({ length: ITEMS }, one));
}

async function writeUntilGone(service: ServiceProcess, account: Account): Promise<void> {
  const gone = once(service.child, 'exit').then(() => true);
  while (
    !(await Promise.race([
      writeItems(service, account, 'round').then(
        () => false,
        () => true,
      ),
      gone,
    ]))
  );
}

async function countFound({ url }: Pick<ServiceProcess, 'url'>, token: string, { username }: Account) {
  const total = async (path: string) => {
    const { status, body } = await call(url, 'GET', path, { token });
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body.data.total;
  };
  return {
    older: await total('/api/content?keyword=older'),
    newer: await total('/api/content?keyword=newer'),
    kept: await total('/api/content?keyword=kept'),
    users: await total(`/api/users?keyword=${username}`),
  };
}

async function kill({ child }: ServiceProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function copyByBackup(database: string, copy: string): Promise<void> {
  const source = new DatabaseSync(database, { readOnly: true });
  try {
    await backup(source, copy);
  } finally {
    source.close();
  }
}

/** As SQLite does by itself once the log is long: the next write begins a new one. */
function putLogIntoFile(database: string): void {
  withDatabase(database, (db) => db.exec('PRAGMA wal_checkpoint(PASSIVE)'));
}

function withDatabase(file: string, work: (database: DatabaseSync) => unknown): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}

function assertWhole(file: string): void {
  withDatabase(file, (database) => {
    assert.deepEqual(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {}), ['ok']);
    database.exec(`INSERT INTO users_search (users_search) VALUES ('integrity-check')`);
  });
}

/** Of each file of the folder its mode, when it was changed and its bytes. */
async function fingerprints(folder: string): Promise<Record<string, string>> {
  const prints: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) {
    const { mode, mtimeMs } = await stat(join(folder, name));
    const hash = createHash('sha256').update(await readFile(join(folder, name)));
    prints[name] = `${mode} ${mtimeMs} ${hash.digest('hex')}`;
  }
  return prints;
}
