import { sql } from 'kysely';
import { lockKey } from '../lock-key.ts';
import type { Db } from '../tables.ts';

/** After a run with this many changes, their space is freed (VACUUM). */
const MANY = 1_000;

/**
 * Adds up the changes that the triggers appended (schema/baseline/counts.ts), so that a count stays cheap to read. One
 * statement deletes the changes and adds them to the sums, so a reader counts each change exactly once. It runs under
 * READ COMMITTED, because a serializable transaction would conflict with every insert. Only one instance does it at a
 * time.
 */
export async function sumUpCounts(db: Db, countedTables: readonly string[]): Promise<void> {
  for (const table of countedTables) {
    const sums = sql.table(`${table}_bucket_sums`);
    const changes = sql.table(`${table}_bucket_changes`);
    const { rows } = await sql<{ moved: number }>`
      with turn as materialized (select pg_try_advisory_xact_lock(${lockKey(`counts of ${table}`)}) as mine),
      gone as (delete from ${changes} where (select mine from turn) returning bucket, rows),
      kept as (
        insert into ${sums} (bucket, rows) select bucket, sum(rows) from gone group by bucket
        on conflict (bucket) do update set rows = ${sums}.rows + excluded.rows
      )
      select count(*) as moved from gone`.execute(db);
    if ((rows[0]?.moved ?? 0) >= MANY) await sql`vacuum ${changes}`.execute(db);
  }
}
