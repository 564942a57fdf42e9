import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { holding } from '../../src/backups/attempt.ts';
import { backupHealth } from '../../src/backups/job.ts';
import { sendingHealth, sendingJob } from '../../src/backups/sending.ts';
import {
  claimSending,
  extendSendingClaim,
  isSendingDue,
  readSending,
  type SendingState,
} from '../../src/backups/sending-state.ts';
import {
  type BackupState,
  CLAIM_MS,
  claimBackup,
  endBackup,
  extendBackupClaim,
  isDue,
  readBackupState,
  readProved,
} from '../../src/backups/state.ts';
import { readConfig } from '../../src/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { openStore } from '../../src/open-store.ts';
import { nameProved, newBackupFile, newUnprovedFile } from '../../src/transfer/backup/folder.ts';
import { closingFrames, FORMAT, headerFrame } from '../../src/transfer/backup/format.ts';
import { removeOldBackups, removeUnproved } from '../../src/transfer/backup/rotate.ts';
import { sendBackup } from '../../src/transfer/backup/send.ts';
import { onEveryEngine, PATIENCE, temporaryFolder } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { startS3 } from '../support/s3.ts';

/** A backup without rows. `filler` is between its beginning and its end, which are all that rotation reads. */
function backupOf(database: string, filler = Buffer.alloc(0)): Buffer {
  const header = headerFrame({
    format: FORMAT,
    stoa: '0.2.0',
    engine: 'sqlite',
    made_at: 0,
    database,
    schema: [],
    sealing: { check: null, key: null },
    tables: [],
  });
  const bytes = Buffer.concat([header, filler, closingFrames({ tables: [] })]);
  return Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);
}

const notice = (message: string) => assert.fail(message);

const day = (number: number, end = 'ndjson') =>
  `stoa-203001${String(number).padStart(2, '0')}T000000Z.${end}.zst`;

it('Rotation counts and removes only whole backups of its own database, and never the one that was just proved', async (t) => {
  const folder = await temporaryFolder(t);
  const mine = backupOf('mine');
  const write = (name: string, bytes: Buffer) => writeFile(join(folder, name), bytes);
  for (const number of [3, 4, 5, 9]) await write(day(number), mine);
  const others: [string, Buffer][] = [
    [day(1), backupOf('of another service')],
    [day(2), mine.subarray(0, -1)],
    [day(7), mine.subarray(0, 20)],
    [day(8), Buffer.from('no backup')],
    ['stoa-20300101T000000Z-before-the-upgrade.ndjson.zst', mine],
    ['my-stoa-20300101T000000Z.ndjson.zst', mine],
    ['stoa-20300101T000000Z.ndjson.zst.sha256', mine],
    [day(1, 'unproved'), backupOf('of another service')],
  ];
  for (const [name, bytes] of others) await write(name, bytes);
  await mkdir(join(folder, day(10)));
  await write(day(5, 'unproved'), mine);
  const stay = [...others.map(([name]) => name), day(10)];

  // The name of the newest one says that it is the second: the clock was wrong before.
  await removeOldBackups(folder, { keep: 3, proved: join(folder, day(4)), notice });
  assert.deepEqual(await readdir(folder), [...stay, day(4), day(5), day(9)].sort());
  await removeOldBackups(folder, { keep: 1, proved: join(folder, day(4)), notice });
  assert.deepEqual(await readdir(folder), [...stay, day(4)].sort());
  for (const number of [5, 6]) await write(day(number, 'unproved'), mine);
  await removeUnproved(folder, join(folder, day(6, 'unproved')), notice);
  assert.deepEqual(await readdir(folder), [...stay, day(4), day(6, 'unproved')].sort());
  // Where the file that was proved is not there any more, nothing is removed.
  await removeOldBackups(folder, { keep: 1, proved: join(folder, day(20)), notice });
  assert.deepEqual(await readdir(folder), [...stay, day(4), day(6, 'unproved')].sort());
});

it('A new backup removes what a kill left an hour ago, and no file of another program', async (t) => {
  const folder = await temporaryFolder(t);
  const old = new Date(Date.now() - 2 * HOUR_MS);
  const make = async (name: string, at = old) => {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), at, at);
  };
  await make(`${day(1)}.0123abcd.unfinished`);
  await make(`${day(1, 'unproved')}.0123abcd.unfinished`);
  await make('proof-0123abcd.unfinished');
  await make('proof-0123abce.unfinished', new Date());
  await make('thesis.unfinished');
  await mkdir(join(folder, 'photos.unfinished'));
  await utimes(join(folder, 'photos.unfinished'), old, old);
  const unproved = newUnprovedFile(folder);
  assert.deepEqual(await readdir(folder), [
    'photos.unfinished',
    'proof-0123abce.unfinished',
    'thesis.unfinished',
  ]);
  // A proved file takes the place of no other file.
  await writeFile(unproved, '');
  await writeFile(unproved.replace('.unproved.', '.ndjson.'), 'made by hand in the same second');
  await assert.rejects(nameProved(folder, unproved), /exists already/);
});

it('A service that was killed and is back within the same second backs up under a name of its own', async (t) => {
  const folder = await temporaryFolder(t);
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0, 1) });
  const named = [];
  for (const end of ['unproved', 'ndjson']) {
    const unproved = newUnprovedFile(folder);
    named.push(basename(unproved));
    await writeFile(unproved.replace('unproved', end), '');
  }
  named.push(basename(newUnprovedFile(folder)), basename(newBackupFile(folder)));
  assert.deepEqual(named, [
    'stoa-20300101T000000Z.unproved.zst',
    'stoa-20300101T000001Z.unproved.zst',
    'stoa-20300101T000002Z.unproved.zst',
    'stoa-20300101T000002Z.ndjson.zst',
  ]);
});

it('A backup is due after its time, after a failure soon, and never while another instance makes one', () => {
  const now = Date.UTC(2030, 0, 1);
  const due = (state: Partial<BackupState>, at = now) =>
    isDue({ ...DONE, tried_at: now, ...state }, { now: at, every: DAY_MS, again: 5 * MINUTE_MS });
  assert.ok(due({ tried_at: 0 }));
  assert.deepEqual([due({}, now + DAY_MS - 1), due({}, now + DAY_MS)], [false, true]);
  const failed = { failed_at: now };
  assert.deepEqual([due(failed, now + 299_999), due(failed, now + 300_000)], [false, true]);
  const claimed = { claimed_by: 'another', claimed_until: now + CLAIM_MS };
  assert.deepEqual([due(claimed, now + CLAIM_MS - 1), due(claimed, now + CLAIM_MS)], [false, true]);
  const extended = { claimed_by: 'another', claimed_until: now + 2 * DAY_MS };
  assert.equal(due(extended, now + 2 * DAY_MS - 1), false);
  // Clocks that were a year ahead.
  assert.ok(due({ tried_at: now + 365 * DAY_MS }));
  assert.ok(due({ claimed_by: 'another', tried_at: 0, claimed_until: now + 365 * DAY_MS }));
});

it('Backups are overdue when the newest is older than two of the times, but not right after a start', () => {
  const now = Date.UTC(2030, 0, 10);
  const health = (state: Partial<BackupState>, since = 0) =>
    backupHealth({ ...DONE, ...state }, { since, every: DAY_MS, now });
  const last = now - 2 * DAY_MS - 5 * MINUTE_MS;
  assert.deepEqual([health({ made_at: last }), health({ made_at: last - 1 })], ['ok', 'overdue']);
  assert.deepEqual([health({}, last), health({}, last - 1)], ['ok', 'overdue']);
  assert.equal(health({ made_at: 0 }, now), 'ok');
  assert.equal(health({ made_at: now, failed_at: now }), 'failing');
});

const DONE: BackupState = {
  id: 1,
  tried_at: 0,
  claimed_by: null,
  claimed_until: 0,
  made_at: null,
  proved_at: null,
  file: null,
  failed_at: null,
  problem: null,
  asked_at: null,
};

it('Cleaning in a bucket counts and removes only backups of the same database, and never the one that was just sent', async (t) => {
  const folder = await temporaryFolder(t);
  const s3 = await startS3(t);
  const file = join(folder, day(4));
  await writeFile(file, backupOf('mine'));
  const others = [
    `mine/${day(1, 'unproved')}`,
    'mine/notes.txt',
    `mine/copy/${day(1)}`,
    'mine/stoa-20300101T000000Z-before-the-upgrade.ndjson.zst',
    `of-another/${day(1)}`,
    day(1),
  ];
  const mine = [3, 5, 9].map((number) => `mine/${day(number)}`);
  for (const key of [...others, ...mine]) await s3.write(key, Buffer.from('x'));
  const send = (keep: number) => sendBackup(file, { bucket: s3.bucket, keep, signal: t.signal });
  // The name of the one that is sent says that it is the second: the clock was wrong before.
  assert.equal(await send(3), `mine/${day(4)}`);
  assert.deepEqual((await s3.names()).sort(), [...others, ...[4, 5, 9].map((n) => `mine/${day(n)}`)].sort());
  assert.deepEqual(await s3.read(`mine/${day(4)}`), backupOf('mine'));
  s3.requests.length = 0;
  await send(1);
  assert.deepEqual((await s3.names()).sort(), [...others, `mine/${day(4)}`].sort());
  assert.ok(!s3.requests.some((each) => each.startsWith('PUT')), 'what is there is not sent again');
  // One that was cut off there is sent again.
  await s3.write(`mine/${day(4)}`, Buffer.from('x'));
  await send(1);
  assert.deepEqual(await s3.read(`mine/${day(4)}`), backupOf('mine'));
  await writeFile(file, 'no backup');
  await assert.rejects(send(1), /is no backup of a known database/);
});

it('A backup that rotation removes while it is sent arrives whole, and nothing of it is left in the folder', async (t) => {
  const folder = await temporaryFolder(t);
  const s3 = await startS3(t);
  const [sent, newer] = [join(folder, day(1)), join(folder, day(2))];
  const bytes = backupOf('mine', Buffer.alloc(40 * 1024 * 1024, 'x'));
  await writeFile(sent, bytes);
  await writeFile(newer, backupOf('mine'));
  let rotating: Promise<void> | undefined;
  s3.decide(({ url }) => {
    if (url?.includes('partNumber=1'))
      rotating ??= removeOldBackups(folder, { keep: 1, proved: newer, notice });
    return 'arrives';
  });
  const key = await sendBackup(sent, { bucket: s3.bucket, keep: 1, signal: t.signal });
  assert.ok(rotating);
  await rotating;
  assert.ok(bytes.equals(await s3.read(key)));
  assert.deepEqual(await readdir(folder), [basename(newer)]);
});

it('A proved backup is sent once, after a failure some minutes later, and never by two instances at a time', () => {
  const now = Date.UTC(2030, 0, 1);
  const due = (state: Partial<SendingState>) =>
    isSendingDue({ ...NEVER_SENT, ...state }, { bucket: VAULT, now });
  assert.ok(due({}));
  assert.ok(due({ file: day(1), bucket: VAULT }));
  assert.ok(!due({ newest: null }));
  assert.ok(!due({ file: day(2), bucket: VAULT }));
  const elsewhere = { file: day(2), bucket: 'https://s3.example.org/other' };
  assert.deepEqual(
    [due({ ...elsewhere, sent_at: now - 299_999 }), due({ ...elsewhere, sent_at: now - 300_000 })],
    [false, true],
  );
  const claimed = { claimed_by: 'another', claimed_until: now + 1 };
  assert.deepEqual([due(claimed), due({ ...claimed, claimed_until: now })], [false, true]);
  assert.deepEqual(
    [due({ failed_at: now - 299_999 }), due({ failed_at: now - 300_000 }), due({ failed_at: now + DAY_MS })],
    [false, true, true],
  );
});

it('Sending fails in the eyes of all where the newest backup was not sent for 12 hours, but not right after a start', () => {
  const now = Date.UTC(2030, 0, 1);
  const [long, short] = [now - 43_200_001, now - 43_200_000];
  const health = (state: Partial<SendingState>, since = 0) =>
    sendingHealth({ ...NEVER_SENT, proved_at: long, ...state }, { bucket: VAULT, since, now });
  assert.deepEqual(
    [health({}), health({ proved_at: short }), health({}, short), health({ newest: null })],
    ['failing', 'ok', 'ok', 'ok'],
  );
  const sent = { file: day(2), sent_at: now, bucket: VAULT };
  assert.deepEqual([health(sent), health({ ...sent, file: day(1) })], ['ok', 'failing']);
  assert.equal(health({ proved_at: short, failed_at: now }), 'failing');
});

const VAULT = 'https://s3.example.org/vault';
const NEVER_SENT: SendingState = {
  ...{
    id: 1,
    file: null,
    sent_at: null,
    bucket: null,
    claimed_by: null,
    claimed_until: 0,
    failed_at: null,
    problem: null,
  },
  newest: `/backups/${day(2)}`,
  proved_at: null,
};

it('Work that takes long extends its claim each minute, and no longer after its end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { promise: work, resolve: end } = Promise.withResolvers<void>();
  let extensions = 0;
  // An extension that fails does not end the work.
  const extend = () => Promise.reject(new Error(`Extension ${++extensions} fails.`));
  const held = holding(extend, () => work);
  t.mock.timers.tick(3 * MINUTE_MS);
  assert.equal(extensions, 3);
  end();
  await held;
  t.mock.timers.tick(3 * MINUTE_MS);
  assert.equal(extensions, 3);
});

onEveryEngine('Claims of backups', (engine) => {
  it('An extended claim is taken over by no other instance, and no other instance extends it', async (t) => {
    const { database } = readConfig(await engine.settings(t));
    const store = await openStore(database, { patience: PATIENCE });
    t.after(() => store.close());
    const now = Date.UTC(2030, 0, 1);
    const until = now + CLAIM_MS;
    const due = { every: DAY_MS, again: MINUTE_MS };
    const bucket = 'http://127.0.0.1/bucket';
    assert.ok(await store.write(claimBackup, { ...due, by: 'A', now, until }));
    await store.write(extendBackupClaim, { by: 'A', until: until + MINUTE_MS });
    const claimed = await store.read(readBackupState, null);
    await store.write(extendBackupClaim, { by: 'B', until: until + CLAIM_MS });
    assert.deepEqual(await store.read(readBackupState, null), claimed);
    const late = { by: 'B', now: until, until: until + CLAIM_MS };
    assert.equal(await store.write(claimBackup, { ...due, ...late }), undefined);

    await store.write(endBackup, { by: 'A', end: { file: '/b/stoa.zst', made_at: now, proved_at: now } });
    // An instance without the file leaves it to the one that has it.
    const log = { info: () => {}, error: () => {} };
    const { job } = sendingJob({ store, log, clock: () => now, bucket, send: () => assert.fail('sent') });
    await job.run(t.signal);
    assert.deepEqual((await store.read(readSending, null)).claimed_until, 0);
    assert.ok(await store.write(claimSending, { bucket, by: 'A', now, until }));
    await store.write(extendSendingClaim, { by: 'A', until: until + MINUTE_MS });
    const sending = await store.read(readSending, null);
    await store.write(extendSendingClaim, { by: 'B', until: until + CLAIM_MS });
    assert.deepEqual(await store.read(readSending, null), sending);
    assert.equal(await store.write(claimSending, { bucket, ...late }), undefined);
  });

  it('The proofs of the newest 1,000 files are known, and no others', async (t) => {
    const settings = await engine.settings(t);
    const store = await openStore(readConfig(settings).database, { patience: PATIENCE });
    t.after(() => store.close());
    await execOn(
      settings,
      `INSERT INTO proved_backups (file, proved_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       SELECT 'file ' || i, i FROM n`,
    );
    const due = { by: 'A', now: DAY_MS, until: DAY_MS + CLAIM_MS, every: DAY_MS, again: MINUTE_MS };
    assert.ok(await store.write(claimBackup, due));
    await store.write(endBackup, { by: 'A', end: { file: '/b/newest', made_at: DAY_MS, proved_at: DAY_MS } });
    const names = ['file 1', 'file 2', 'newest'];
    assert.deepEqual(await store.read(readProved, names), { 'file 2': 2, newest: DAY_MS });
  });
});
