import { type RawBuilder, sql } from 'kysely';
import { writeOperation } from '../../store/operation.ts';
import type { Debt } from './standing.ts';

interface Mistake {
  readonly debts: readonly Debt[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Counts a wrong password in all of its buckets. In the order of their keys, so that two of these never wait
 * for each other. A transaction of its own even on PostgreSQL: in a group of statements (decisions 0022), those
 * of other people would wait for the rows of whoever guesses.
 */
export const countMistake = writeOperation(
  'throttle.count_mistake',
  async (db, { debts, now }: Mistake): Promise<void> => {
    const rows = debts
      .map(({ key, everyMs }) => ({ key, empty_at: now + everyMs }))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    await db
      .insertInto('guess_debts')
      .values(rows)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ empty_at: owed(now) }))
      .execute();
  },
);

/** When a bucket that is there already will be empty, after what is inserted was added to it. */
export function owed(now: number): RawBuilder<number> {
  return sql<number>`excluded.empty_at + case when guess_debts.empty_at > ${now} then guess_debts.empty_at - ${now} else 0 end`;
}
