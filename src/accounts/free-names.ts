import { writeOperation } from '../store/operation.ts';
import { shareSkeletons } from './change-name.ts';
import { releaseSkeleton } from './claim-name.ts';

/** Names freed in one write: a few milliseconds. */
const BATCH = 20;

/**
 * Frees some of the names whose reservation has ended; true when there may be more. One instance at a time. No `Expiry` can
 * do so: what a name looks like is given up too, for each account in a lock of its own.
 */
export const freeNames = writeOperation(
  'accounts.free_names',
  async (db, { now }: { now: number }, engine): Promise<boolean> => {
    await engine.lock(db, 'freeing names');
    const ended = await db
      .selectFrom('reserved_names')
      .select('user_id')
      .where('free_at', '<=', now)
      .orderBy('free_at')
      .limit(BATCH)
      .execute();
    for (const id of new Set(ended.map(({ user_id }) => user_id))) {
      const account = await db
        .selectFrom('users')
        .select(['id', 'username'])
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!account) continue;
      const freed = await db
        .deleteFrom('reserved_names')
        .where('user_id', '=', id)
        .where('free_at', '<=', now)
        .returning('username')
        .execute();
      for (const { username } of freed) await releaseSkeleton(db, { id, username });
      await shareSkeletons(db, account);
    }
    return ended.length === BATCH;
  },
  { isBackground: true },
);
