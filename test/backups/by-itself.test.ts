// Needs: processes.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { backUpBeside } from '../../src/back-up-beside.ts';
import { CLAIM_MS, claimBackup, endBackup, LOST, readBackupState } from '../../src/backups/state.ts';
import { restore } from '../../src/cli/restore.ts';
import { readConfig } from '../../src/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { openStore } from '../../src/open-store.ts';
import { firingWhile } from '../support/alerts.ts';
import { provedBackup } from '../support/backup.ts';
import { call, newAccount } from '../support/client.ts';
import { run } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import {
  emptySettings,
  onEveryEngine,
  onOneEngine,
  PATIENCE,
  sameDatabase,
  temporaryFolder,
} from '../support/engines.ts';
import { scrape } from '../support/metrics.ts';
import { startProcess } from '../support/process.ts';
import { type RunningService, startHere, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BESIDE = new URL('../../src/back-up-beside.ts', import.meta.url).href;
const NOON = Date.UTC(2030, 0, 1, 12);
const NAME = /^stoa-\d{8}T\d{6}Z\.ndjson\.zst$/;

onEveryEngine('Backups by themselves', (engine) => {
  it('One of two instances makes each backup, proves it, and only then removes the oldest', async (t) => {
    const database = await sameDatabase(t, engine);
    const BACKUP_DIR = join(await temporaryFolder(t), 'made', 'here');
    const settings = { BACKUP_DIR, BACKUP_EVERY: '1h', BACKUP_KEEP: '1' };
    const services = [
      await startService(t, database, settings),
      await startService(t, database, settings),
    ] as const;
    const [{ url, store }] = services;
    await newAccount(url);
    await mkdir(BACKUP_DIR, { recursive: true });
    await writeFile(join(BACKUP_DIR, 'mine'), 'no backup');
    const seen = new Set<string>();
    for (const made of [1, 2]) {
      await until(() => {
        assert.deepEqual(linesOf(services, 'the backup failed; trying again'), []);
        return linesOf(services, 'backed up, restored and proved').length === made;
      }, `backup ${made} is proved`);
      const names = (await readdir(BACKUP_DIR)).filter((name) => name !== 'mine');
      assert.equal(names.length, 1, names.join());
      for (const name of names) {
        assert.match(name, NAME);
        assert.equal((await stat(join(BACKUP_DIR, name))).mode & 0o777, 0o600);
        seen.add(name);
      }
      assert.equal(seen.size, made);
      await until(
        async () => (await Promise.all(services.map(checkOf))).every((each) => each === 'ok'),
        'both instances are ready',
      );
      for (const { passTime } of services) passTime(HOUR_MS);
    }
    const { file, failed_at } = await store.read(readBackupState, null);
    assert.equal(failed_at, null);
    const empty = { DATA_DIR: await temporaryFolder(t) };
    const restored = await commandHere(empty, (config) => restore(config, file ?? '', undefined));
    assert.equal(restored.code, 0, restored.stderr);
    // The services themselves would claim a backup too.
    await Promise.all(services.map((each) => each.stop()));
    const kept = readConfig(await database.settings(t)).database;
    const command = { user: 'command', patience: PATIENCE } as const;
    const stores = [await openStore(kept, command), await openStore(kept, command)];
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const now = Date.now() + 10 * DAY_MS;
    const claim = { now, until: now + CLAIM_MS, every: HOUR_MS, again: MINUTE_MS };
    const claims = [1, 2, 3, 4].flatMap((by) =>
      stores.map((each, at) => each.write(claimBackup, { ...claim, by: `${by} ${at}` })),
    );
    assert.equal((await Promise.all(claims)).filter((before) => before !== undefined).length, 1);
  });
});

onOneEngine('Backups by themselves that fail', (engine) => {
  it('A backup that fails is seen in the log and the readiness, the service goes on, and it is tried again', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'file'), '');
    const BACKUP_DIR = join(folder, 'file', 'backups');
    const service = await startService(t, engine, { BACKUP_DIR, BACKUP_EVERY: '1d', METRICS_PORT: '0' });
    await until(
      async () => (await checkOf(service)) === 'failing',
      'the readiness tells that the backup fails',
    );
    assert.ok(firingWhile(await scrape(service)).includes('StoaBackupFails'));
    const [line = ''] = linesOf([service], 'the backup failed; trying again');
    assert.match(JSON.parse(line).cause, /ENOTDIR/);
    await newAccount(service.url);
    await rm(join(folder, 'file'));
    service.passTime(5 * MINUTE_MS);
    await until(async () => (await checkOf(service)) === 'ok', 'the readiness tells that backups work');
    assert.equal((await readdir(BACKUP_DIR)).length, 1);
    const metrics = await scrape(service);
    assert.ok(!firingWhile(metrics).includes('StoaBackupFails'));
    assert.ok(metrics.value('stoa_backup_last_success_timestamp_seconds') > 1.7e9);
    assert.equal(metrics.value('stoa_backup_interval_seconds'), DAY_MS / 1_000);
  });

  it('A disk that gets full loses no backup to a half file, and the service goes on', async (t) => {
    const BACKUP_DIR = await smallDisk(t, '16m');
    if (BACKUP_DIR === undefined) return t.skip('Nothing can be mounted here.');
    const settings = await engine.settings(t);
    await provedBackup(settings, BACKUP_DIR);
    const { bavail, bsize } = await statfs(BACKUP_DIR);
    await writeFile(join(BACKUP_DIR, 'filler'), new Uint8Array(bavail * bsize));
    const before = await readdir(BACKUP_DIR);
    const service = await startHere(t, { ...settings, BACKUP_DIR, BACKUP_EVERY: '1h' });
    await until(
      async () => (await checkOf(service)) === 'failing',
      'the readiness tells that the backup fails',
    );
    assert.deepEqual(await readdir(BACKUP_DIR), before, 'no half file, and the older one is there');
    await newAccount(service.url);
  });

  it('An old backup that cannot be removed, or not even read, makes no new one fail, and the log names it', async (t) => {
    const BACKUP_DIR = await folderOfMountsAndFixedFiles(t);
    const unreadable = join(BACKUP_DIR, 'stoa-20200101T000000Z.unproved.zst');
    await writeFile(unreadable, '');
    // Memory at the address 0 cannot be read: each read fails with EIO.
    if (!(await mayRun('mount', ['--bind', `/proc/${process.pid}/mem`, unreadable])))
      return t.skip('Nothing can be mounted here.');
    const database = await engine.settings(t);
    const fixed = await provedBackup(database, BACKUP_DIR);
    if (!(await mayRun('chattr', ['+i', fixed]))) return t.skip('No file can be made immutable here.');
    const settings = { BACKUP_DIR, BACKUP_EVERY: '1h', BACKUP_KEEP: '1' };
    const service = await startHere(t, { ...database, ...settings });
    await until(
      () => linesOf([service], 'backed up, restored and proved').length === 1,
      'a backup is proved',
    );
    const { file, failed_at } = await service.store.read(readBackupState, null);
    assert.equal(failed_at, null);
    assert.notEqual(file, fixed);
    const warnings = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    const told = warnings.filter(({ msg }) => msg.includes('cannot be removed'));
    assert.equal(told.length, 1);
    assert.ok(told[0].msg.includes(fixed));
    assert.match(told[0].cause, /EPERM/);
    const unread = warnings.filter(({ msg }) => msg.includes('cannot be read'));
    assert.ok(unread[0].msg.includes(unreadable));
    assert.match(unread[0].cause, /EIO/);
    const names = await readdir(BACKUP_DIR);
    assert.deepEqual(names.sort(), [basename(unreadable), basename(fixed), basename(file ?? '')]);
    assert.equal(await checkOf(service), 'ok');
  });

  it('A service that stops during a backup ends it and leaves nothing unfinished', async (t) => {
    const BACKUP_DIR = await temporaryFolder(t);
    const service = await startService(t, engine, { BACKUP_DIR, BACKUP_EVERY: '1h' });
    await until(async () => (await readdir(BACKUP_DIR)).length > 0, 'a backup has begun');
    await service.close();
    const names = await readdir(BACKUP_DIR);
    assert.ok(
      names.every((name) => /\.zst$/.test(name)),
      names.join(),
    );
    const { claimed_by, tried_at, proved_at } = await service.store.read(readBackupState, null);
    assert.equal(claimed_by, null);
    // What the stop has ended was no try: the next start makes the backup, and not an hour later.
    assert.equal(tried_at === 0, proved_at === null);
  });
});

onOneEngine('Backups by themselves whose instance is lost', (engine) => {
  it('A backup whose instance was lost is made by another one five minutes later, and the log says so', async (t) => {
    const settings = await engine.settings(t);
    const kept = readConfig(settings).database;
    const store = await openStore(kept, { user: 'command', patience: PATIENCE });
    t.after(() => store.close());
    const due = { every: DAY_MS, again: 5 * MINUTE_MS };
    await store.write(claimBackup, { ...due, by: 'lost', now: NOON, until: NOON + CLAIM_MS });
    const own = { BACKUP_DIR: await temporaryFolder(t), BACKUP_EVERY: '1d' };
    const service = await startService(t, { ...engine, settings: async () => settings }, own, {
      clock: () => NOON,
    });
    assert.equal((await store.read(readBackupState, null)).claimed_by, 'lost');
    service.passTime(CLAIM_MS);
    await until(
      () => linesOf([service], 'backed up, restored and proved').length === 1,
      'another backup is proved',
    );
    const [line = ''] = linesOf([service], 'the backup failed; trying again');
    assert.equal(JSON.parse(line).cause, LOST);
    await until(async () => (await checkOf(service)) === 'ok', 'the readiness tells that backups work');
    // What the lost instance says later changes nothing, also while another one makes the next backup.
    await service.stop();
    const later = NOON + 2 * DAY_MS;
    await store.write(claimBackup, { ...due, by: 'another', now: later, until: later + CLAIM_MS });
    await store.write(endBackup, { by: 'lost', end: { failed_at: NOON } });
    const { failed_at, claimed_by } = await store.read(readBackupState, null);
    assert.deepEqual([failed_at, claimed_by], [null, 'another']);
  });

  it('A service that stops before its backup began starts no process for it', async () => {
    await assert.rejects(backUpBeside({}, AbortSignal.abort()), { name: 'AbortError' });
  });

  it('A process of a backup that cannot be started for want of file descriptors fails that backup only', async () => {
    const program = `
      import { closeSync, openSync } from 'node:fs';
      const { backUpBeside } = await import(${JSON.stringify(BESIDE)});
      const open = [];
      try {
        for (;;) open.push(openSync('/dev/null'));
      } catch {}
      const failed = await backUpBeside({}, new AbortController().signal).catch((error) => error);
      // Whatever is rejected without a handler ends the program.
      await new Promise((resolve) => setImmediate(resolve));
      open.forEach((each) => closeSync(each));
      console.log(failed.code);`;
    const shell = [
      '-c',
      'ulimit -n 200 && exec "$0" --input-type=module --eval "$1"',
      process.execPath,
      program,
    ];
    const { stdout, stderr } = await run('sh', shell);
    assert.equal(stdout, 'EMFILE\n', stderr);
  });

  it('The built service makes and proves a backup by itself, and one that is killed leaves no half file', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const backups = join(DATA_DIR, 'backups');
    const names = () => readdir(backups).catch(() => []);
    const first = await startProcess(t, { DATA_DIR, BACKUP_EVERY: '1h' });
    await until(async () => (await names()).length > 0, 'a backup has begun');
    await first.stop('SIGKILL');
    // Its process ends too, and removes what it has begun.
    await until(
      async () => (await names()).every((name) => name.endsWith('.zst')),
      'nothing unfinished is left',
    );
    const second = await startProcess(t, {
      ...(await emptySettings(t, engine)),
      BACKUP_DIR: backups,
      BACKUP_EVERY: '1h',
    });
    await until(() => second.stdout().includes('backed up, restored and proved'), 'a backup is proved');
    assert.equal((await call(second.url, 'GET', '/readyz')).body.data.checks.backups, 'ok');
    assert.equal(await second.stop('SIGTERM'), 0);
  });
});

/** A disk of this size, or undefined where nothing may be mounted. */
async function smallDisk(t: TestContext, size: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  // In this order, and lazily: the service stops after this.
  t.after(async () => {
    await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true });
  });
  const options = ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder];
  return (await mayRun('mount', options)) ? folder : undefined;
}

/** A folder in which a test may mount something on files, and make files immutable. */
async function folderOfMountsAndFixedFiles(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  t.after(async () => {
    for (const name of await readdir(folder)) {
      await mayRun('umount', ['--lazy', join(folder, name)]);
      await mayRun('chattr', ['-i', join(folder, name)]);
    }
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Runs a program that may not be there, or whose work this user may not do. */
async function mayRun(program: string, args: readonly string[]): Promise<boolean> {
  const ran = await run(program, args).catch(() => undefined);
  return ran?.code === 0;
}

async function checkOf({ url }: RunningService): Promise<unknown> {
  return (await call(url, 'GET', '/readyz')).body.data.checks?.backups;
}

function linesOf(services: readonly RunningService[], message: string): string[] {
  return services.flatMap(({ log }) => log.filter((line) => line.includes(`"msg":"${message}"`)));
}
