import type { Db } from '../../store/tables.ts';
import type { Bucket } from './bucket.ts';
import { owed } from './mistakes.ts';

/**
 * Takes one from the bucket with this key, inside the write that needs it: false where none is free. One statement, so
 * that two writes never take the same one. `now` is in milliseconds since 1970.
 */
export async function takeFromBucket(
  db: Db,
  key: string,
  { free, everyMs }: Bucket,
  now: number,
): Promise<boolean> {
  const taken = await db
    .insertInto('guess_debts')
    .values({ key, empty_at: now + everyMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ empty_at: owed(now) })
        .where('guess_debts.empty_at', '<=', now + (free - 1) * everyMs),
    )
    .returning('key')
    .executeTakeFirst();
  return taken !== undefined;
}
