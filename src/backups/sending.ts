import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Job } from '../domain/jobs.ts';
import { type Reading, readingsOf } from '../domain/metrics.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { Store } from '../store/store.ts';
import { holding, noteEnd, problemOf } from './attempt.ts';
import type { SendingHealth } from './check-contract.ts';
import { type BackupLog, LOOK_MS } from './job.ts';
import {
  claimSending,
  endSending,
  extendSendingClaim,
  isNewestSent,
  isSendingDue,
  LOST_SENDING,
  lastSent,
  readSending,
  SEND_AGAIN_MS,
  type SendingEnd,
  type SendingState,
} from './sending-state.ts';
import { CLAIM_MS } from './state.ts';

const NOT_SENT = 'the backup is proved but could not be sent to the bucket; trying again';

interface Parts {
  readonly store: Store;
  readonly log: BackupLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The address of the bucket. */
  readonly bucket: string;
  /** Sends the file with this path to the bucket. Resolves with the name of the object. */
  readonly send: (file: string, stopping: AbortSignal) => Promise<string>;
}

/** An older backup may be sent for six hours, and then the newest one for six more. */
const UNSENT_MS = 12 * HOUR_MS;

/**
 * `bucket` is its address. `since`: when somebody began to look, in milliseconds since 1970. Before that, no backup waits.
 * Where no instance has the file of a backup, it waits without any failure.
 */
export function sendingHealth(
  state: SendingState | undefined,
  { bucket, since, now }: { readonly bucket: string; readonly since: number; readonly now: number },
): SendingHealth {
  if (state === undefined || isNewestSent(state, bucket)) return 'ok';
  if (state.failed_at !== null) return 'failing';
  return now - Math.max(since, state.proved_at ?? now) > UNSENT_MS ? 'failing' : 'ok';
}

/**
 * Sends each newest proved backup to the bucket: one instance at a time, of those that have the file. What could not be
 * sent is tried again by the next round, and when a newer backup is proved, that one is sent instead.
 */
export function sendingJob({ store, log, clock, bucket, send }: Parts): {
  readonly job: Job;
  readonly health: () => SendingHealth;
  readonly readings: () => readonly Reading[];
} {
  const since = clock();
  let seen: SendingState | undefined;
  const health = () => sendingHealth(seen, { bucket, since, now: clock() });

  const attempt = async (by: string, file: string, stopping: AbortSignal) => {
    const note = (end: SendingEnd) => noteEnd(() => store.write(endSending, { by, end }), stopping);
    let object: string;
    try {
      object = await send(file, stopping);
    } catch (error) {
      if (stopping.aborted) return note({});
      const problem = problemOf(error);
      const about = { file, cause: problem, next_try_seconds: SEND_AGAIN_MS / 1_000 };
      log.error(about, NOT_SENT);
      return note({ failed_at: clock(), problem });
    }
    await note({ file: basename(file), sent_at: clock(), bucket, failed_at: null, problem: null });
    log.info({ object }, 'the proved backup was sent to the bucket');
  };

  const run = async (stopping: AbortSignal) => {
    seen = await store.read(readSending, null);
    const { newest } = seen;
    const due = { bucket, now: clock() };
    if (newest === null || !isSendingDue(seen, due) || !(await isHere(newest))) return;
    const by = randomBytes(16).toString('hex');
    const before = await store.write(claimSending, { ...due, by, until: due.now + CLAIM_MS });
    if (!before) return;
    if (before.claimed_by !== null) log.error({ file: newest, cause: LOST_SENDING }, NOT_SENT);
    const extend = () => store.write(extendSendingClaim, { by, until: clock() + CLAIM_MS });
    await holding(extend, () => attempt(by, newest, stopping));
    seen = await store.read(readSending, null);
  };

  const readings = () =>
    seen
      ? readingsOf({
          stoa_backup_unsent: health() === 'ok' ? 0 : 1,
          stoa_backup_last_sent_timestamp_seconds: (lastSent(seen, bucket).sent_at ?? 0) / 1_000,
        })
      : [];
  return {
    job: { name: 'sending backups', every: LOOK_MS, run },
    health,
    readings,
  };
}

/** Asks beside the calling thread, because the folder may be on a share that hangs. */
async function isHere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
