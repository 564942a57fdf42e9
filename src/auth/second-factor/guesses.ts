import { tooManyRequests } from '../../domain/failure.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
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
export async function takeGuess(db: Db, { isKnown, line }: Standing, now: number): Promise<Guess> {
  const bucket = BUCKETS[isKnown ? 'known' : 'strangers'];
  const key = throttleKey('second_factor', line);
  const isTaken = await takeFromBucket(db, key, bucket, now);
  const { empty_at } = await db
    .selectFrom('guess_debts')
    .select('empty_at')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
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
