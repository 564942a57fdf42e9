import { sql } from 'kysely';
import { statement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * Ids per counted block. The triggers in the migrations divide by the same number; a block is small
 * enough to be skipped through quickly and large enough that a million rows make 245 of them.
 */
export const BLOCK_SIZE = 4096;

type CountedTable = 'users' | 'content';

const TOTALS = { users: totalOf('users'), content: totalOf('content') };

function totalOf(table: CountedTable) {
  return statement((db) =>
    db.selectFrom(`${table}_blocks`).select((eb) => eb.fn.sum<number | null>('rows').as('total')),
  );
}

/** The exact number of rows in a table, from its blocks: the cost does not grow with the rows. */
export async function countRows(db: Db, table: CountedTable): Promise<number> {
  const [counted] = await TOTALS[table](db, {});
  return Number(counted?.total ?? 0);
}

/** Where a list that skips `offset` rows begins: skip `offset` rows among the ids from `id` on. */
export interface Seek {
  readonly id: number;
  readonly offset: number;
}

/**
 * Turns a deep offset into a short one: finds the block that holds the row, so that reading page
 * 50,000 passes at most BLOCK_SIZE rows instead of a million.
 */
export async function seekOffset(db: Db, table: CountedTable, offset: number): Promise<Seek> {
  if (offset < BLOCK_SIZE) return { id: 0, offset };
  const found = await db
    .selectFrom((eb) =>
      eb
        .selectFrom(`${table}_blocks`)
        .select(({ ref }) => [
          'block',
          sql<number>`sum(${ref('rows')}) over (order by ${ref('block')}) - ${ref('rows')}`.as('before'),
        ])
        .as('counted'),
    )
    .select(['block', 'before'])
    .where('before', '<=', offset)
    .orderBy('before', 'desc')
    .orderBy('block', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!found) return { id: 0, offset };
  return { id: Number(found.block) * BLOCK_SIZE, offset: offset - Number(found.before) };
}
