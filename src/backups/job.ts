import { randomBytes } from 'node:crypto';
import type { Job } from '../domain/jobs.ts';
import { type Reading, readingsOf } from '../domain/metrics.ts';
import { MINUTE_MS } from '../domain/time.ts';
import type { Store } from '../store/store.ts';
import { holding, noteEnd, problemOf } from './attempt.ts';
import type { BackupHealth } from './check-contract.ts';
import {
  type BackupEnd,
  type BackupState,
  CLAIM_MS,
  claimBackup,
  endBackup,
  extendBackupClaim,
  isDue,
  LOST,
  readBackupState,
} from './state.ts';

/** How often it is looked whether something is due. */
export const LOOK_MS = 1_000;
/** After a failure it is tried again this soon at the earliest, or after BACKUP_EVERY if that is less. */
const AGAIN_MS = 5 * MINUTE_MS;

export interface BackupLog {
  info(about: object, message: string): void;
  error(about: object, message: string): void;
}

interface Parts {
  readonly store: Store;
  readonly log: BackupLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds; undefined where only admins ask for a backup. */
  readonly every: number | undefined;
  /** Makes a backup and proves it. Resolves with its path. */
  readonly makeBackup: (stopping: AbortSignal) => Promise<string>;
}

/** `since`: when somebody began to look for backups, in milliseconds since 1970. Before that, none is overdue. */
export function backupHealth(
  state: BackupState | undefined,
  { since, every, now }: { readonly since: number; readonly every: number | undefined; readonly now: number },
): BackupHealth {
  if (state && state.failed_at !== null) return 'failing';
  if (every === undefined) return 'ok';
  return now - Math.max(since, state?.made_at ?? 0) > 2 * every + AGAIN_MS ? 'overdue' : 'ok';
}

/** Milliseconds to the next try after a failure. */
export function againAfter(every: number | undefined): number {
  return Math.min(every ?? AGAIN_MS, AGAIN_MS);
}

/** Makes backups by itself and when an admin asks: one instance at a time, as long as several share the database. */
export function backupJob({ store, log, clock, every, makeBackup }: Parts): {
  readonly job: Job;
  readonly health: () => BackupHealth;
  readonly readings: () => readonly Reading[];
} {
  const since = clock();
  const again = againAfter(every);
  let seen: BackupState | undefined;

  const attempt = async (by: string, before: BackupState, stopping: AbortSignal) => {
    const note = (end: BackupEnd) => noteEnd(() => store.write(endBackup, { by, end }), stopping);
    const begun = clock();
    let file: string;
    try {
      file = await makeBackup(stopping);
    } catch (error) {
      if (stopping.aborted) return note({ tried_at: before.tried_at });
      const problem = problemOf(error);
      if (every === undefined) log.error({ cause: problem }, 'the backup failed; ask for another one');
      else log.error({ cause: problem, next_try_seconds: again / 1000 }, 'the backup failed; trying again');
      return note({ failed_at: clock(), problem, asked_at: null });
    }
    const made = { made_at: begun, proved_at: clock(), file };
    await note({ ...made, failed_at: null, problem: null, asked_at: null });
    log.info({ file }, 'backed up, restored and proved');
  };

  const run = async (stopping: AbortSignal) => {
    seen = await store.read(readBackupState, null);
    const due = { now: clock(), every, again };
    if (!isDue(seen, due)) return;
    const by = randomBytes(16).toString('hex');
    const before = await store.write(claimBackup, { ...due, by, until: due.now + CLAIM_MS });
    if (!before) return;
    if (before.claimed_by !== null) log.error({ cause: LOST }, 'the backup failed; trying again');
    const extend = () => store.write(extendBackupClaim, { by, until: clock() + CLAIM_MS });
    await holding(extend, () => attempt(by, before, stopping));
    seen = await store.read(readBackupState, null);
  };

  const health = () => backupHealth(seen, { since, every, now: clock() });
  const readings = () => (seen && every !== undefined ? readingsOfBackups(seen, every) : []);
  return { job: { name: 'backing up', every: LOOK_MS, run }, health, readings };
}

function readingsOfBackups({ failed_at, made_at }: BackupState, every: number): readonly Reading[] {
  return readingsOf({
    stoa_backup_failing: failed_at === null ? 0 : 1,
    stoa_backup_last_success_timestamp_seconds: (made_at ?? 0) / 1_000,
    stoa_backup_interval_seconds: every / 1_000,
  });
}
