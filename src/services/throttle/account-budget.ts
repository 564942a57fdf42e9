import { tooManyRequests } from '../../domain/failure.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Db } from '../../store/tables.ts';
import { type Bucket, secondsUntilFree } from './bucket.ts';
import { throttleKey } from './standing.ts';
import { takeFromBucket } from './take.ts';

/** How often an account may do one thing, over all instances. */
export interface AccountBudget extends Bucket {
  readonly kind: Parameters<typeof throttleKey>[0];
  /** The sentence for an account that has spent it. */
  readonly message: string;
}

/** The bucket of so many an hour. */
export function perHour(free: number): Bucket {
  return { free, everyMs: HOUR_MS / free };
}

/**
 * Counts one use, inside the write that it is for and after the proof that the write asks for. A write that is refused
 * counts nothing, so nobody spends the budget of an owner without that proof (decisions 0070). Fails with
 * `too_many_requests`. `now` is in milliseconds since 1970.
 */
export async function spendBudget(
  db: Db,
  { kind, message, ...bucket }: AccountBudget,
  userId: number,
  now: number,
): Promise<void> {
  const key = throttleKey(kind, String(userId));
  if (await takeFromBucket(db, key, bucket, now)) return;
  throw tooManyRequests(message, secondsUntilFree(bucket, await emptyAt(db, key), now));
}

/** When a bucket that something was taken from will be empty. */
export async function emptyAt(db: Db, key: string): Promise<number> {
  const debt = db.selectFrom('guess_debts').select('empty_at').where('key', '=', key);
  return (await debt.executeTakeFirstOrThrow()).empty_at;
}
