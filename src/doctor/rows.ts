import { sql } from 'kysely';
import { hasAdmin } from '../accounts/admins.ts';
import type { BackupSettings } from '../backups/contract.ts';
import { backupHealth } from '../backups/job.ts';
import { sendingHealth } from '../backups/sending.ts';
import { isNewestSent, lastSent, readSending } from '../backups/sending-state.ts';
import { type BackupState, readBackupState } from '../backups/state.ts';
import { typed } from '../domain/installation.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { type Finding, finding, REPAIR } from './finding.ts';
import { areRight, totalsOf } from './totals.ts';

/** One snapshot of a database of this version, on either engine. */
export interface Snapshot {
  readonly db: Db;
  readonly engine: Engine;
}

/** A clock may be this wrong, in milliseconds. */
const CLOCK_MS = 60_000;

/** Do the totals, which triggers count, agree with the rows? Reads every row of the tables. */
export async function checkCounts({ db }: Snapshot, tables: readonly string[]): Promise<Finding[]> {
  const wrong: Finding[] = [];
  for (const table of tables) {
    const totals = await totalsOf(db, table);
    if (areRight(totals)) continue;
    const { real, total, summed } = totals;
    const says = `Of ${table} there are ${real} rows, and the totals say ${total} and ${summed}; run "${REPAIR}".`;
    wrong.push(finding('totals', 'wrong', says));
  }
  return wrong.length > 0 ? wrong : [finding('totals', 'ok', 'The counted totals agree with the rows.')];
}

/**
 * Is the clock of this machine ahead of, or behind, what the database has and says? It is read here, because the checks
 * before this one may take minutes.
 */
export async function checkClock({ db, engine }: Snapshot, clock: () => number): Promise<Finding> {
  const newest = await db
    .selectFrom('audit_events')
    .select('at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const now = clock();
  if (newest && newest.at > now + CLOCK_MS)
    return finding(
      'clock',
      'wrong',
      `The newest event of the trail is of ${new Date(newest.at).toISOString()}, which is in the future; set the clock of this machine, or find out which clock was wrong.`,
    );
  if (engine.name === 'postgres') {
    const { rows } = await sql<{ at: string }>`
      select (extract(epoch from clock_timestamp()) * 1000)::text as at`.execute(db);
    const seconds = Math.round((Number(rows[0]?.at) - now) / 1_000);
    if (Math.abs(seconds) * 1_000 > CLOCK_MS)
      return finding(
        'clock',
        'wrong',
        `The clock of PostgreSQL differs from this one by ${seconds} s; set both.`,
      );
  }
  return finding('clock', 'ok', 'The clock agrees with the database.');
}

/** When was the newest backup proved, and did the last one fail? `every` is BACKUP_EVERY in milliseconds. */
export async function checkBackups(
  { db, engine }: Snapshot,
  every: number | undefined,
  now: number,
): Promise<Finding> {
  const state = await readBackupState.run(db, null, engine);
  // Without a backup yet, the service may have had no time for one.
  const health = backupHealth(state, { since: state.made_at === null ? now : 0, every, now });
  const says = newestProved(state);
  if (health === 'failing') {
    const cure = every === undefined ? 'make one again' : 'the service tries again';
    return finding(
      'backups',
      'wrong',
      `The last backup failed (${state.problem}); correct that, and ${cure}. ${says}.`,
    );
  }
  if (every === undefined)
    return finding(
      'backups',
      'advice',
      `Nothing is backed up by itself; set BACKUP_EVERY=1d, or run "${typed('backup')}" yourself. ${says}.`,
    );
  if (state.made_at === null)
    return finding('backups', 'advice', `${says}; start the service, and look again.`);
  return health === 'overdue'
    ? finding(
        'backups',
        'wrong',
        `${says}, which is too old for BACKUP_EVERY; start the service, or see its log.`,
      )
    : finding('backups', 'ok', `${says}.`);
}

/** A backup that an operator made by command is not known. */
function newestProved({ made_at, proved_at, file }: BackupState): string {
  if (made_at === null) return 'The service has made no backup yet';
  const proof = proved_at === null ? '' : `, proved at ${new Date(proved_at).toISOString()}`;
  return `The newest proved backup is of ${new Date(made_at).toISOString()} (${file}${proof})`;
}

/** Is the newest proved backup in the bucket? Nothing is looked at where there is none. */
export async function checkBucket(
  { db, engine }: Snapshot,
  bucket: BackupSettings['bucket'],
  now: number,
): Promise<Finding[]> {
  if (bucket === undefined) return [];
  const { name, address } = bucket;
  const sending = await readSending.run(db, null, engine);
  const { problem } = sending;
  const { file, sent_at } = lastSent(sending, address);
  if (problem !== null)
    return [
      finding(
        'bucket',
        'wrong',
        `The newest backup is proved but could not be sent (${problem}); correct that, and the service tries again.`,
      ),
    ];
  // Where none was sent yet, the service may have had no time for one.
  const since = sent_at === null ? now : 0;
  if (sendingHealth(sending, { bucket: address, since, now }) === 'failing')
    return [
      finding(
        'bucket',
        'wrong',
        `The newest backup (${sending.newest}) is not in ${name} after more than 12 hours; start the service on the machine that has this file, or see its log.`,
      ),
    ];
  if (sent_at !== null && !isNewestSent(sending, address))
    return [
      finding(
        'bucket',
        'advice',
        `The newest backup is not in ${name} yet; the service sends it in a moment.`,
      ),
    ];
  return sent_at === null
    ? [finding('bucket', 'advice', `No backup was sent to ${name} yet; start the service, and look again.`)]
    : [finding('bucket', 'ok', `${name} got ${file} at ${new Date(sent_at).toISOString()}.`)];
}

export async function checkAdmin({ db, engine }: Snapshot): Promise<Finding> {
  return (await hasAdmin.run(db, null, engine))
    ? finding('admin', 'ok', 'There is an admin.')
    : finding('admin', 'advice', `There is no admin; run "${typed('admin create')}".`);
}
