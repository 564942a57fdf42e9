// Needs: processes.

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { claimSending, endSending, readSending } from '../../src/backups/sending-state.ts';
import { restore } from '../../src/cli/restore.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { nameOfBucket } from '../../src/transfer/s3/bucket.ts';
import { firingWhile } from '../support/alerts.ts';
import { provedBackup } from '../support/backup.ts';
import { call, newAccount } from '../support/client.ts';
import { commandHere } from '../support/command-here.ts';
import {
  type Lifetime,
  onEveryEngine,
  onOneEngine,
  type TestEngine,
  temporaryFolder,
} from '../support/engines.ts';
import { scrape } from '../support/metrics.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { type RunningService, startHere, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SENT = 'the proved backup was sent to the bucket';
const NOT_SENT = 'the backup is proved but could not be sent to the bucket; trying again';

onEveryEngine('Backups to a bucket', (engine) => {
  it('A backup that cannot be sent stays, is told everywhere, and is in the bucket after the next round', async (t) => {
    const s3 = await startS3(t, { isBucketMissing: true });
    const BACKUP_DIR = await temporaryFolder(t);
    const settings = { BACKUP_DIR, BACKUP_EVERY: '1d', METRICS_PORT: '0', ...s3.settings };
    const service = await startService(t, engine, settings);
    const { url } = service;
    const { username } = await newAccount(url);
    const { token } = await newWithRole(service, 'admin');
    const state = async () => (await call(url, 'GET', '/api/backups', { token })).body.data.state;

    await until(async () => (await checksOf(service)).bucket === 'failing', 'the backup cannot be sent');
    assert.equal((await checksOf(service)).backups, 'ok');
    const [name = '', ...more] = await readdir(BACKUP_DIR);
    assert.deepEqual(more, []);
    const [line = ''] = linesOf(service, NOT_SENT);
    assert.match(JSON.parse(line).cause, /answers 404 NoSuchBucket; make that bucket/);
    const told = await state();
    assert.equal(told.problem, undefined);
    assert.match(told.bucket.problem, /NoSuchBucket/);
    assert.deepEqual([told.bucket.name, told.bucket.file], ['vault', undefined]);
    const { body } = await call(url, 'GET', '/api/system', { token });
    assert.equal(stateIn(body.data.checks, 'bucket'), 'wrong');
    const before = await scrape(service);
    assert.deepEqual(
      firingWhile(before).filter((each) => each.startsWith('StoaBackup')),
      ['StoaBackupUnsent'],
    );

    await s3.makeBucket();
    service.passTime(5 * MINUTE_MS);
    await until(async () => (await checksOf(service)).bucket === 'ok', 'the backup is sent');
    const [key = '', ...others] = await s3.names();
    assert.deepEqual(others, []);
    assert.match(key, new RegExp(`^[\\w-]{16,}/${name}$`));
    const sent = await s3.read(key);
    assert.ok(sent.equals(await readFile(join(BACKUP_DIR, name))));
    assert.equal(linesOf(service, SENT).length, 1);
    assert.equal((await state()).bucket.file, name);
    assert.equal((await state()).bucket.problem, undefined);
    const metrics = await scrape(service);
    assert.ok(!firingWhile(metrics).includes('StoaBackupUnsent'));
    assert.ok(metrics.value('stoa_backup_last_sent_timestamp_seconds') > 1.7e9);

    const fetched = join(await temporaryFolder(t), 'fetched.ndjson.zst');
    await writeFile(fetched, sent);
    const database = join(await temporaryFolder(t), 'stoa.db');
    const restored = await commandHere({ DATA_DIR: BACKUP_DIR }, (config) =>
      restore(config, fetched, `sqlite:${database}`),
    );
    assert.equal(restored.code, 0, restored.stderr);
    const rows = new DatabaseSync(database);
    const found = rows.prepare('SELECT count(*) AS found FROM users WHERE username = ?').get(username);
    rows.close();
    assert.equal(found?.found, 1);

    const secret = s3.settings.BACKUP_S3_SECRET_ACCESS_KEY ?? '';
    assert.ok(!service.log.join().includes(secret));
    assert.ok(!JSON.stringify(body).includes(secret));
  });
});

onEveryEngine('An instance that is lost while it sends a backup', (engine) => {
  it('A backup whose instance was lost while it sent it counts as not sent, until another one has sent it', async (t) => {
    const s3 = await startS3(t);
    s3.decide(() => 'hangs');
    const service = await startHere(t, { ...(await withProved(t, engine)), ...s3.settings });
    const { token } = await newWithRole(service, 'admin');
    const problem = async () =>
      (await call(service.url, 'GET', '/api/backups', { token })).body.data.state.bucket.problem;
    await until(() => s3.requests.length > 0, 'the backup is being sent');
    assert.equal(await problem(), undefined);
    const { claimed_until: now } = await service.store.read(readSending, null);
    const taken = { by: 'another', bucket: nameOfBucket(s3.bucket), now, until: now + MINUTE_MS };
    assert.ok(await service.store.write(claimSending, taken));
    assert.match(await problem(), /was lost in the middle of it/);
    const end = { failed_at: null, problem: null };
    await service.store.write(endSending, { by: 'another', end });
    assert.equal(await problem(), undefined);
    await service.close();
  });
});

onOneEngine('Another bucket', (engine) => {
  it('After another bucket is set, nothing says that it has the newest backup before that is sent there', async (t) => {
    const own = await withProved(t, engine);
    const startWith = (s3: S3Server) => startHere(t, { ...own, ...s3.settings });
    const first = await startWith(await startS3(t));
    await until(() => linesOf(first, SENT).length === 1, 'the backup is sent');
    await first.close();

    const s3 = await startS3(t);
    s3.decide(() => 'hangs');
    const service = await startWith(s3);
    const { token } = await newWithRole(service, 'admin');
    const state = async () => (await call(service.url, 'GET', '/api/backups', { token })).body.data.state;
    assert.deepEqual((await state()).bucket, { name: 'vault' });
    s3.decide(() => 'arrives');
    service.passTime(5 * MINUTE_MS);
    await until(async () => (await state()).bucket.file !== undefined, 'the backup is sent there too');
    assert.equal((await s3.names()).length, 1);
    await service.close();
  });
});

onOneEngine('Backups that end while the database is away', (engine) => {
  it('A backup that is made or sent while the database is away does not fail, and is noted when the database is back', async (t) => {
    const s3 = await startS3(t);
    const away = new Set(['backups.end', 'backups.end_sending']);
    const before = (name: string) => {
      if (away.delete(name)) throw unavailable();
    };
    const settings = { BACKUP_DIR: await temporaryFolder(t), BACKUP_EVERY: '1d', ...s3.settings };
    const service = await startService(t, engine, settings, { wrap: (store) => observed(store, { before }) });
    await until(() => {
      const failures = service.log.filter((line) => /the backup (failed|is proved but)/.test(line));
      assert.deepEqual(failures, []);
      return linesOf(service, SENT).length === 1;
    }, 'the backup is sent');
    assert.deepEqual([...away], []);
    const { newest, file } = await service.store.read(readSending, null);
    assert.equal(basename(newest ?? ''), file);
    assert.equal((await s3.names()).length, 1);
  });
});

onOneEngine('A service that stops while it sends a backup', (engine) => {
  it('A service that stops while it sends a backup leaves it to the next one, and says of no failure', async (t) => {
    const s3 = await startS3(t);
    s3.decide(() => 'hangs');
    const settings = await withProved(t, engine);
    const service = await startHere(t, { ...settings, ...s3.settings });
    await until(() => s3.requests.length > 0, 'the backup is being sent');
    await service.close();
    const { newest, file, claimed_by, failed_at } = await service.store.read(readSending, null);
    assert.deepEqual([basename(newest ?? ''), file], [(await readdir(settings.BACKUP_DIR))[0], null]);
    assert.deepEqual([claimed_by, failed_at], [null, null]);
    assert.deepEqual(linesOf(service, NOT_SENT), []);
  });
});

/** Settings for a database whose newest proved backup is in its folder. No other one is made. */
async function withProved(t: Lifetime, engine: TestEngine) {
  const [own, BACKUP_DIR] = [await engine.settings(t), await temporaryFolder(t)];
  await provedBackup(own, BACKUP_DIR);
  return { ...own, BACKUP_DIR };
}

async function checksOf({ url }: RunningService): Promise<{ backups?: string; bucket?: string }> {
  return (await call(url, 'GET', '/readyz')).body.data.checks ?? {};
}

function stateIn(checks: readonly { check: string; state: string }[], name: string): string | undefined {
  return checks.find(({ check }) => check === name)?.state;
}

function linesOf({ log }: RunningService, message: string): string[] {
  return log.filter((line) => line.includes(`"msg":"${message}"`));
}
