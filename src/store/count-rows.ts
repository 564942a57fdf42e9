import { type Expression, sql } from 'kysely';
import type { Db } from './tables.ts';

/** How many rows the query has. With a limit, the counting ends there. */
export async function countRows(db: Db, query: Expression<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${query} as counted`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}
