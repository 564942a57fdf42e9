// Needs: processes.

import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { cp, mkdtemp, readdir, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { checkService } from '../../src/doctor/service.ts';
import {
  BUSY_TIMEOUT_MS,
  CHECKPOINT_PAGES,
  logLength,
  openForWriting,
} from '../../src/store/sqlite/connection.ts';
import { endLongLog, openDerived, prepareDerived } from '../../src/store/sqlite/derived.ts';
import { hasRoomBeside } from '../../src/store/sqlite/disk-space.ts';
import { measureFiles } from '../../src/store/sqlite/sizes.ts';
import { inTransaction } from '../../src/store/sqlite/transaction.ts';
import { firingWhile } from '../support/alerts.ts';
import { type Answer, call, newAccount } from '../support/client.ts';
import { run, stoa } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { SERVE } from '../support/main.ts';
import { scrape } from '../support/metrics.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startHere } from '../support/service.ts';
import { copyMigratedFile } from '../support/sqlite.ts';
import { until } from '../support/until.ts';

/** A way to run out of space, and to have room again, under a running process. */
interface Shortage {
  readonly title: string;
  /** Undefined where this machine does not let us. */
  readonly prepare: (t: TestContext) => Promise<Disk | undefined>;
}

interface Disk {
  readonly folder: string;
  /** Leaves little room, where that can be seen from outside. */
  readonly nearlyFill?: () => Promise<unknown>;
  /** Leaves so many bytes, none without a number, where the disk is small. */
  readonly fill?: (left?: number) => Promise<unknown>;
  readonly beginShortage: (pid: number) => Promise<unknown>;
  readonly endShortage: (pid: number) => Promise<unknown>;
}

const SHORTAGES: readonly Shortage[] = [
  { title: 'a file system without a free block', prepare: (t) => smallFileSystem(t) },
  { title: 'a limit on the size of files', prepare: fileSizeLimit },
];
const FULL = 'the storage is full; nothing can be stored until there is room';
const BODY = { title: 'large', content: 'x'.repeat(100_000) };

describe('Full disks', { concurrency: true }, () => {
  for (const { title, prepare } of SHORTAGES) {
    it(`A full disk (${title}) refuses only writes, says why, and recovers without a restart`, async (t) => {
      const disk = await prepare(t);
      if (!disk) return t.skip(`this machine does not let us have ${title}`);
      const settings = { DATA_DIR: disk.folder, METRICS_PORT: '0' };
      const service = await startProcess(t, settings);
      const { url } = service;
      const pid = service.child.pid ?? 0;
      const { token, username } = await newAccount(url);
      const acknowledged: number[] = [];
      const create = async () => {
        const answer = await call(url, 'POST', '/api/content', { token, body: BODY });
        if (answer.status === 200) acknowledged.push(answer.body.data.id);
        return answer;
      };
      await create();

      if (disk.nearlyFill) {
        await disk.nearlyFill();
        await untilLogged(service, 'the disk is nearly full; make room before nothing can be stored');
        assert.equal((await call(url, 'GET', '/readyz')).status, 200);
        assert.ok((await firingOn(service)).includes('StoaDiskNearlyFull'));
      }
      await disk.beginShortage(pid);
      const refused = await untilRefused(create);
      for (const { status, headers, body } of refused) {
        assert.equal(status, 503);
        assert.equal(headers.get('retry-after'), '1');
        assert.match(body.message ?? '', /^The storage of the service is full or takes nothing more/);
        assert.deepEqual(Object.keys(body.data), ['error', 'request_id', 'details']);
        assert.deepEqual([body.data.error, body.data.details], ['unavailable', ['storage_full']]);
      }
      await untilLogged(service, FULL);
      const ready = await call(url, 'GET', '/readyz');
      assert.deepEqual([ready.status, ready.body.data.details], [503, ['storage_full']]);
      assert.ok((await firingOn(service)).includes('StoaStorageFull'));
      const said = await checkService({ host: '127.0.0.1', port: Number(new URL(url).port) });
      assert.equal(said.state, 'wrong');
      assert.match(said.says, /is not ready \(503: .*storage_full/);
      await assertReadable(url, acknowledged);
      const found = await call(url, 'GET', `/api/users?keyword=${username}`, { token });
      assert.equal(found.body.data.total, 1);

      await disk.endShortage(pid);
      await untilLogged(service, 'the storage has room again');
      assert.equal((await call(url, 'GET', '/readyz')).status, 200);
      assert.ok(!(await firingOn(service)).includes('StoaStorageFull'));
      assert.equal(service.stdout().split(FULL).length, 2, 'one line for the whole shortage');
      const before = acknowledged.length;
      for (let more = 0; more < 5; more++) assert.equal((await create()).status, 200);
      assert.equal(acknowledged.length, before + 5);
      await assertReadable(url, acknowledged);

      assert.equal(await service.stop('SIGTERM'), 0);
      const again = await startHere(t, settings);
      await assertReadable(again.url, acknowledged);
      const { body } = await call(again.url, 'GET', '/api/content?per_page=1');
      assert.equal(body.data.total, acknowledged.length, 'nothing that was refused is there');
    });
  }
});

it('A log of twice its length does not end the service when the disk is full: it answers 503, and goes on with room again', async (t) => {
  if (!(await hasPrlimit())) return t.skip('this machine has no prlimit');
  const [used, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const first = await startHere(t, { DATA_DIR: used });
  const { token } = await newAccount(first.url);
  await first.stop();
  await lengthenLog(join(used, 'stoa.db'), folder);
  const limited = ['--fsize=1000000:', process.execPath, ...SERVE];
  const service = await startProcess(t, { DATA_DIR: folder }, { program: 'prlimit', args: limited });
  const { url } = service;
  const create = () => call(url, 'POST', '/api/content', { token, body: BODY });
  for (let attempt = 0; attempt < 3; attempt++) assert.equal((await create()).status, 503);
  await run('prlimit', ['--pid', String(service.child.pid), '--fsize=unlimited:']);
  await untilLogged(service, 'the storage has room again');
  assert.equal((await create()).status, 200);
});

it('A full disk ends neither the thread of derived data nor its patience: a later checkpoint copies its log', async (t) => {
  const disk = await smallFileSystem(t, '160m');
  if (!disk) return t.skip('this machine does not let us have a small file system');
  const file = join(disk.folder, 'stoa.db');
  openForWriting(file).close();
  prepareDerived(file, { version: 1, statements: ['CREATE TABLE long (text TEXT)'] });
  using derived = openDerived(file);
  using reader = new DatabaseSync(`${file}-derived`, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM long');
  const insert = derived.prepare('INSERT INTO long VALUES (?)');
  while (logLength(derived).log < CHECKPOINT_PAGES) insert.run('x'.repeat(1024 * 1024));
  reader.exec('COMMIT');
  await disk.fill?.();
  endLongLog(derived);
  const { checkpointed } = logLength(derived);
  assert.ok(checkpointed < CHECKPOINT_PAGES, 'the disk was not full');
  assert.equal(derived.prepare('PRAGMA busy_timeout').get()?.timeout, BUSY_TIMEOUT_MS);

  await disk.endShortage(process.pid);
  endLongLog(derived);
  const { log, checkpointed: copied } = logLength(derived);
  assert.equal(copied, log);
});

it('A backup is refused where the copy of the database would leave its disk nearly full', async (t) => {
  const disk = await smallFileSystem(t, '32m');
  if (!disk) return t.skip('this machine does not let us have a small file system');
  const settings = { DATA_DIR: disk.folder };
  await copyMigratedFile(disk.folder);
  const { size } = await stat(join(disk.folder, 'stoa.db'));
  const { blocks, bsize } = await statfs(disk.folder);
  // The copy fits, and less than a twentieth of the disk would be left.
  await disk.fill?.(size + 0.025 * blocks * bsize);
  const backup = join(await temporaryFolder(t), 'made.zst');
  const refused = await stoa(['backup', backup], { settings });
  assert.equal(refused.code, 1);
  assert.ok(refused.stderr.includes(`The disk of ${disk.folder} has no room for the copy`), refused.stderr);
  assert.ok(!(await readdir(disk.folder)).includes('stoa.db-backup'), 'no copy is left');
  await disk.endShortage(process.pid);
  assert.equal((await stoa(['backup', backup], { settings })).code, 0);
});

it('Room is looked for, and files are measured, where a linked database file is', async (t) => {
  const [links, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const [link, file] = [join(links, 'stoa.db'), join(folder, 'real.db')];
  using database = openForWriting(file);
  database.exec('CREATE TABLE some (text TEXT)');
  await symlink(file, link);
  const log = (await measureFiles(link)).find(({ name }) => name === 'stoa_database_log_size_bytes');
  assert.ok((log?.value ?? 0) > 0, 'the log has a length');
  const seen = watch(folder);
  t.after(() => seen.close());
  const trials: string[] = [];
  seen.on('change', (_, name) => trials.push(String(name)));
  assert.equal(await hasRoomBeside(link), true);
  await until(() => trials.includes('real.db-room'), 'the trial is next to the file');
});

/** Leaves in the folder a copy of the database whose log is as long as one ever gets, as a crash would leave it. */
async function lengthenLog(file: string, folder: string): Promise<void> {
  const database = openForWriting(file);
  database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; CREATE TABLE long (text TEXT)');
  const replace = (text: string) =>
    inTransaction(database, async () => {
      database.exec('DELETE FROM long');
      database.prepare('INSERT INTO long VALUES (?)').run(text);
    });
  for (let each = 0; logLength(database).log < 2 * CHECKPOINT_PAGES; each++)
    await replace(
      String(each)
        .padEnd(8)
        .repeat(1024 * 1024),
    );
  await cp(dirname(file), folder, { recursive: true, filter: (path) => !path.endsWith('-shm') });
  database.close();
}

async function hasPrlimit(): Promise<boolean> {
  return (await run('prlimit', ['--version']).catch(() => undefined))?.code === 0;
}

/** Creates until five in a row were refused: small ones may still find a free block after a large one. */
async function untilRefused(create: () => Promise<Answer>): Promise<Answer[]> {
  let refused: Answer[] = [];
  for (let attempt = 0; attempt < 1_000 && refused.length < 5; attempt++) {
    const answer = await create();
    refused = answer.status === 200 ? [] : [...refused, answer];
  }
  assert.equal(refused.length, 5, 'the disk did not get full');
  return refused;
}

/** The alerts that fire where the service stays as it is. */
async function firingOn(service: ServiceProcess): Promise<string[]> {
  const log = service.stdout().trim().split('\n');
  return firingWhile(await scrape({ log }));
}

/** The storage is looked at once a second. */
async function untilLogged(service: ServiceProcess, message: string): Promise<void> {
  await until(() => service.stdout().includes(`"msg":"${message}"`), `the service logs "${message}"`);
}

async function assertReadable(url: string, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const { status, body } = await call(url, 'GET', `/api/content/${id}`);
    assert.equal(status, 200);
    assert.equal(body.data.content, BODY.content);
  }
}

/** Needs the right to mount: root, and a container that allows it. */
async function smallFileSystem(t: TestContext, first = '3m'): Promise<Disk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  // In this order, and lazily: the process that is killed after this test is still on it.
  t.after(async () => {
    await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true });
  });
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${first},mode=0700`, 'tmpfs', folder]).catch(
    () => undefined,
  );
  if (mounted?.code !== 0) return undefined;
  const resize = async (size: string) => {
    const { code, stderr } = await run('mount', ['-o', `remount,size=${size}`, folder]);
    assert.equal(code, 0, stderr);
  };
  const fill = async (left = 0) => {
    const { bavail, bsize } = await statfs(folder);
    await writeFile(join(folder, 'filler'), new Uint8Array(Math.max(0, bavail * bsize - Math.ceil(left))));
  };
  const nearlyFill = () => fill(250_000);
  // The writes themselves fill the rest.
  return {
    folder,
    fill,
    nearlyFill,
    beginShortage: async () => undefined,
    endShortage: () => resize('256m'),
  };
}

/** Works for every user: a process may lower its own soft limit, and raise it again. */
async function fileSizeLimit(t: TestContext): Promise<Disk | undefined> {
  const folder = await temporaryFolder(t);
  if (!(await hasPrlimit())) return undefined;
  const limit = async (pid: number, bytes: string) => {
    const { code, stderr } = await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
    assert.equal(code, 0, stderr);
  };
  return {
    folder,
    beginShortage: (pid) => limit(pid, '1000000'),
    endShortage: (pid) => limit(pid, 'unlimited'),
  };
}
