import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Deltas folded at once that are worth giving their space back for. */
const MANY = 1_000;
/** Any number that nothing else locks in the database; one instance folds at a time. */
const FOLD_LOCK = 7_046_210_001;

/**
 * Adds up what the triggers appended (migration 0003), so that a count stays cheap to read. One
 * statement moves each delta, so a reader sees it before or after, never twice and never not at all.
 * It runs under READ COMMITTED: a serializable transaction would conflict with every insert.
 */
export async function foldCounts(db: Db): Promise<void> {
  for (const table of ['users', 'content'] as const) {
    const folded = sql.table(`${table}_folded`);
    const deltas = sql.table(`${table}_deltas`);
    const { rows } = await sql<{ moved: number }>`
      with turn as materialized (select pg_try_advisory_xact_lock(${sql.lit(FOLD_LOCK)}) as mine),
      gone as (delete from ${deltas} where (select mine from turn) returning block, rows),
      kept as (
        insert into ${folded} (block, rows) select block, sum(rows) from gone group by block
        on conflict (block) do update set rows = ${folded}.rows + excluded.rows
      )
      select count(*) as moved from gone`.execute(db);
    if ((rows[0]?.moved ?? 0) >= MANY) await sql`vacuum ${deltas}`.execute(db);
  }
}
