import { MINUTE_MS } from '../../domain/time.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Store } from '../../store/store.ts';
import type { Db } from '../../store/tables.ts';
import type { OpenedChallenge } from './challenges.ts';

/** Rows removed in one write. */
const BATCH = 500;
/** For writes that began before the challenge expired, and for clocks that differ. */
const MARGIN_MS = MINUTE_MS;

/** Uses the challenge up, inside the write that it is for; false where it was used before, on any instance. */
export async function useChallenge(db: Db, { hash, expiresAt }: OpenedChallenge): Promise<boolean> {
  const used = await db
    .insertInto('used_challenges')
    .values({ challenge_hash: hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('challenge_hash').doNothing())
    .returning('challenge_hash')
    .executeTakeFirst();
  return used !== undefined;
}

/** Forgets some used challenges that have expired; returns how many. */
export const removeUsedChallenges = writeOperation(
  'auth.remove_used_challenges',
  async (db, input: { expiredBefore: number; limit: number }): Promise<number> => {
    const expired = db
      .selectFrom('used_challenges')
      .select('challenge_hash')
      .where('expires_at', '<=', input.expiredBefore)
      .limit(input.limit);
    const removed = await db
      .deleteFrom('used_challenges')
      .where('challenge_hash', 'in', expired)
      .returning('challenge_hash')
      .execute();
    return removed.length;
  },
  { isBackground: true },
);

export async function cleanUsedChallenges(store: Store, now: number): Promise<void> {
  const batch = { expiredBefore: now - MARGIN_MS, limit: BATCH };
  while ((await store.write(removeUsedChallenges, batch)) === BATCH);
}
