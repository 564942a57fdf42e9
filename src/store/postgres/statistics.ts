import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** A table with fewer rows is read quickly by any plan. */
const FEW = 100;

/**
 * Makes the first statistics of each table soon after its first rows. PostgreSQL does it by itself, but only once a
 * minute. Until then it takes each condition of a list for a rare one, and a list with two of them compares every row of
 * one with every row of the other: 2,500 items took 2.6 s. A table that another instance is analysing is passed over.
 */
export async function makeFirstStatistics(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tables.relname as name from pg_stat_user_tables as tables join pg_class on pg_class.oid = relid
    where schemaname = current_schema() and relowner = current_user::regrole
      and last_analyze is null and last_autoanalyze is null and n_live_tup >= ${FEW}`.execute(db);
  if (rows.length === 0) return;
  const tables = rows.map(({ name }) => sql.table(name));
  await sql`analyze (skip_locked) ${sql.join(tables)}`.execute(db);
}
