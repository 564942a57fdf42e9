import { tooManyRequests } from '../../domain/failure.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import { type AccountBudget, emptyAt, perHour } from '../../services/throttle/account-budget.ts';
import { type Bucket, freeIn, secondsUntilFree } from '../../services/throttle/bucket.ts';
import { type Standing, throttleKey } from '../../services/throttle/standing.ts';
import { takeFromBucket } from '../../services/throttle/take.ts';
import type { Db } from '../../store/tables.ts';

/**
 * Codes that an account may send, over all of its challenges (decisions 0058 has the reasons for the numbers). A device
 * that signed in before is counted by itself alone, so that others cannot lock it out.
 */
const BUCKETS = {
  known: { free: 10, everyMs: 10 * MINUTE_MS },
  strangers: { free: 10, everyMs: HOUR_MS },
} as const satisfies Record<string, Bucket>;

/** Each leaves two events at most in the audit trail. */
export const FACTOR_CHANGES: AccountBudget = {
  kind: 'factor_change',
  ...perHour(30),
  message: 'Your account changed its second factors too often; try again later.',
};

/** A guess that was taken, and is given back where the code is right. */
export interface Guess {
  readonly key: string;
  readonly everyMs: number;
  /** No further one is free after this. */
  readonly isLastFree: boolean;
}

/**
 * Counts a code before it is looked at, inside a write that commits before. Fails with `too_many_requests` where none is
 * free.
 */
export function takeGuess(db: Db, { isKnown, line }: Standing, now: number): Promise<Guess> {
  return take(db, throttleKey('second_factor', line), BUCKETS[isKnown ? 'known' : 'strangers'], now);
}

/**
 * The same for the first code of an app, by the session that sends it: a thief of another session spends nothing of the
 * owner's, neither here nor at a login (decisions 0070).
 */
export function takeFirstGuess(db: Db, sessionId: string, now: number): Promise<Guess> {
  return take(db, throttleKey('first_code', sessionId), BUCKETS.known, now);
}

async function take(db: Db, key: string, bucket: Bucket, now: number): Promise<Guess> {
  const isTaken = await takeFromBucket(db, key, bucket, now);
  const empty_at = await emptyAt(db, key);
  if (!isTaken)
    throw tooManyRequests(
      'Too many codes were sent; try again later.',
      secondsUntilFree(bucket, empty_at, now),
    );
  return { key, everyMs: bucket.everyMs, isLastFree: freeIn(bucket, empty_at, now) < 1 };
}

/** Called inside the write that a right code lets through. */
export async function giveGuessBack(db: Db, { key, everyMs }: Pick<Guess, 'key' | 'everyMs'>): Promise<void> {
  await db
    .updateTable('guess_debts')
    .set((eb) => ({ empty_at: eb('empty_at', '-', everyMs) }))
    .where('key', '=', key)
    .execute();
}
