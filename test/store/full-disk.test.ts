// Needs: processes.

import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkService } from '../../src/doctor/service.ts';
import { CHECKPOINT_PAGES, logLength, openForWriting } from '../../src/store/sqlite/connection.ts';
import { inTransaction } from '../../src/store/sqlite/transaction.ts';
import { firingWhile } from '../support/alerts.ts';
import { type Answer, call, newAccount } from '../support/client.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { SERVE } from '../support/main.ts';
import { scrape } from '../support/metrics.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

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
  readonly beginShortage: (pid: number) => Promise<unknown>;
  readonly endShortage: (pid: number) => Promise<unknown>;
}

const SHORTAGES: readonly Shortage[] = [
  { title: 'a file system without a free block', prepare: smallFileSystem },
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
      const again = await startProcess(t, settings);
      await assertReadable(again.url, acknowledged);
      const { body } = await call(again.url, 'GET', '/api/content?per_page=1');
      assert.equal(body.data.total, acknowledged.length, 'nothing that was refused is there');
    });
  }
});

it('A log of twice its length does not end the service when the disk is full: it answers 503, and goes on with room again', async (t) => {
  if (!(await hasPrlimit())) return t.skip('this machine has no prlimit');
  const [used, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const first = await startProcess(t, { DATA_DIR: used });
  const { token } = await newAccount(first.url);
  await first.stop('SIGKILL');
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
  for (const end = Date.now() + 20_000; !service.stdout().includes(`"msg":"${message}"`); await sleep(20)) {
    assert.ok(Date.now() < end, `no line "${message}" in\n${service.stdout()}`);
  }
}

async function assertReadable(url: string, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const { status, body } = await call(url, 'GET', `/api/content/${id}`);
    assert.equal(status, 200);
    assert.equal(body.data.content, BODY.content);
  }
}

/** Needs the right to mount: root, and a container that allows it. */
async function smallFileSystem(t: TestContext): Promise<Disk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  // In this order, and lazily: the process that is killed after this test is still on it.
  t.after(async () => {
    await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true });
  });
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=0700', 'tmpfs', folder]).catch(
    () => undefined,
  );
  if (mounted?.code !== 0) return undefined;
  const resize = async (size: string) => {
    const { code, stderr } = await run('mount', ['-o', `remount,size=${size}`, folder]);
    assert.equal(code, 0, stderr);
  };
  const nearlyFill = async () => {
    const { bavail, bsize } = await statfs(folder);
    await writeFile(join(folder, 'filler'), new Uint8Array(bavail * bsize - 250_000));
  };
  // The writes themselves fill the rest.
  return { folder, nearlyFill, beginShortage: async () => undefined, endShortage: () => resize('64m') };
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
