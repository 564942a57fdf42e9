import { sql } from 'kysely';
import { offsetOf, type PageRequest } from '../domain/page.ts';
import type { Engine } from './operation.ts';
import { statement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * Ids per counted block. The triggers in the migrations divide by the same number; a block is small
 * enough to be skipped through quickly and large enough that a million rows make 245 of them.
 */
export const BLOCK_SIZE = 4096;

type CountedTable = 'users' | 'content';

const TOTAL = {
  users: statement((db) => db.selectFrom('users_total').select('rows')),
  content: statement((db) => db.selectFrom('content_total').select('rows')),
};
const BLOCKS = {
  users: statement((db) => db.selectFrom('users_blocks').select(['block', 'rows']).orderBy('block')),
  content: statement((db) => db.selectFrom('content_blocks').select(['block', 'rows']).orderBy('block')),
};

/** The block that holds the row at an offset, and the rows before it. */
const BLOCK_AT = {
  users: blockAt('users_blocks'),
  content: blockAt('content_blocks'),
};

function blockAt(table: 'users_blocks' | 'content_blocks') {
  return statement(
    (_, input: { offset: number }) => sql<{ block: number; before: number }>`
      select block, before from (
        select block, rows, cast(sum(rows) over (order by block) as bigint) - rows as before from ${sql.table(table)}
      ) as summed where before + rows > ${input.offset} order by block limit 1`,
  );
}

/** The exact number of rows in a table; the cost does not grow with the rows. */
export async function countRows(db: Db, table: CountedTable): Promise<number> {
  const [total] = await TOTAL[table](db, {});
  return total?.rows ?? 0;
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
export async function seekOffset(
  db: Db,
  table: CountedTable,
  offset: number,
  engine: Pick<Engine, 'name'>,
): Promise<Seek> {
  if (offset < BLOCK_SIZE) return { id: 0, offset };
  // A row costs more to send than to sum up, and in SQLite, which sends nothing, it is the other way round.
  if (engine.name === 'postgres') {
    const [found] = await BLOCK_AT[table](db, { offset });
    return found ? { id: found.block * BLOCK_SIZE, offset: offset - found.before } : { id: 0, offset };
  }
  let before = 0;
  for (const { block, rows } of await BLOCKS[table](db, {})) {
    if (before + rows > offset) return { id: block * BLOCK_SIZE, offset: offset - before };
    before += rows;
  }
  return { id: 0, offset };
}

/** Reads `limit` rows by id, after passing `offset` rows among the ids from `id` on. */
type RowsFrom<Row> = (db: Db, from: Seek & { limit: number }) => Promise<Row[]>;

/**
 * One page of a whole table by id, and the exact number of its rows. Statements that need nothing of
 * each other are asked for together, so that they share a round trip where there is one.
 */
export async function pageOfTable<Row>(
  db: Db,
  table: CountedTable,
  page: PageRequest,
  rowsFrom: RowsFrom<Row>,
  engine: Pick<Engine, 'name'>,
): Promise<{ items: Row[]; total: number }> {
  const [limit, offset] = [page.per_page, offsetOf(page)];
  if (offset < BLOCK_SIZE) {
    const [total, items] = await Promise.all([countRows(db, table), rowsFrom(db, { id: 0, limit, offset })]);
    return { items, total };
  }
  const [total, seek] = await Promise.all([countRows(db, table), seekOffset(db, table, offset, engine)]);
  if (offset >= total) return { items: [], total };
  return { items: await rowsFrom(db, { ...seek, limit }), total };
}
