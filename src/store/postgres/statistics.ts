import { sql } from 'kysely';
import { isUnavailable } from '../../domain/failure.ts';
import type { Job } from '../../domain/jobs.ts';
import type { Db } from '../tables.ts';
import { kyselyOn } from './dialect.ts';
import { wasCanceled } from './errors.ts';
import type { Lender } from './pipeline/index.ts';
import { GRACE_MS } from './pool.ts';
import { transaction } from './transaction.ts';

const EVERY_MS = 5_000;
/** A table with fewer rows is read quickly by any plan, and a queue that is emptied soon has fewer. */
const FEW = 100;
/** New rows with one value in a column, which a plan for few of them would compare with each other in vain. */
const MANY = 2_000;
const MANY_AT_MOST_EACH_S = 60;
/** 100,000 rows of a kilobyte take 0.5 s of a processor. Of a large table 30,000 pages are read, maybe slowly. */
const ANALYSE_MS = 60_000;
const AFTER_FAILURE_MS = 600_000;
const BEGIN_ANALYSE = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL synchronous_commit = off',
  `SET LOCAL statement_timeout = ${ANALYSE_MS}`,
];

/**
 * Makes statistics of tables that have changed much, one table in a run. PostgreSQL does it by itself, but only once a
 * minute, and after a tenth of the rows has changed. Until then it takes a new value, and each condition about a table
 * without statistics, for a rare one. A list with two of them then compares every row of one with every row of the
 * other: 2,500 rows took 2.6 s. A table that another instance is analysing is passed over.
 */
export function makingStatistics(reads: Db, lender: Lender, silence: () => AbortSignal): Job {
  /** When each table may be tried again. One that fails, or that others analyse, keeps no other table waiting. */
  const rests = new Map<string, number>();

  async function run(stopping: AbortSignal): Promise<boolean> {
    const due = (await changedTables(reads)).filter((name) => (rests.get(name) ?? 0) <= performance.now());
    const [name] = due;
    if (name === undefined) return false;
    const patience = {
      milliseconds: ANALYSE_MS + GRACE_MS,
      silence: AbortSignal.any([stopping, silence()]),
    };
    try {
      await transaction(
        lender,
        BEGIN_ANALYSE,
        async (runner) => {
          rests.set(name, performance.now() + AFTER_FAILURE_MS);
          await sql`analyze (skip_locked) ${sql.id(name)}`.execute(kyselyOn(runner));
          rests.set(name, performance.now() + EVERY_MS);
        },
        patience,
      );
    } catch (error) {
      if (isUnavailable(error) && !wasCanceled(error)) throw error;
      throw new Error(`The table ${name} gets no new statistics.`, { cause: error });
    }
    return due.length > 1;
  }

  return { name: 'making statistics', every: EVERY_MS, run };
}

/** Our tables of which half has changed since the last statistics, or many rows and some time ago; most changes first. */
async function changedTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tables.relname as name from pg_stat_user_tables as tables join pg_class on pg_class.oid = relid
    where schemaname = current_schema() and pg_get_userbyid(relowner) = current_user
      and n_live_tup >= ${FEW} and n_mod_since_analyze >= ${FEW}
      and (
        n_mod_since_analyze * 2 >= n_live_tup
        or (
          n_mod_since_analyze >= ${MANY}
          and coalesce(greatest(last_analyze, last_autoanalyze), '-infinity')
            < now() - make_interval(secs => ${MANY_AT_MOST_EACH_S})
        )
      )
    order by n_mod_since_analyze desc`.execute(db);
  return rows.map(({ name }) => name);
}
