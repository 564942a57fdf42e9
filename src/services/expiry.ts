import { sql } from 'kysely';
import type { Job } from '../domain/jobs.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db, Expiry } from '../store/tables.ts';

/** Rows that one write removes, in some milliseconds, so that other writes hardly wait. */
export const BATCH = 500;

type KnownExpiry = Expiry & { readonly after: number };

interface Removal extends KnownExpiry {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly limit: number;
}

/** Removes some of the expired rows, the oldest first, and returns how many. Only one instance at a time. */
export const removeExpired = writeOperation(
  'expiry.remove_expired',
  async (db, removal: Removal, engine): Promise<number> => {
    await engine.lock(db, 'removing expired rows');
    const [table, key, column] = [sql.table(removal.table), sql.ref(removal.key), sql.ref(removal.column)];
    const last = Math.max(removal.now - removal.after, await lastTooMany(db, removal));
    const unset = removal.unset === undefined ? sql`` : sql`and ${sql.ref(removal.unset)} is null`;
    const isDue = sql`${column} <= ${last} ${unset}`;
    // Repeated outside of the subquery, because PostgreSQL checks only this condition again for a row that was changed
    // meanwhile.
    const { rows } = await sql`
      delete from ${table}
      where ${key} in (select ${key} from ${table} where ${isDue} order by ${column} limit ${removal.limit})
        and ${isDue}
      returning ${key}`.execute(db);
    return rows.length;
  },
  { isBackground: true },
);

/** The time of the newest row beyond the `most` that may stay. */
async function lastTooMany(db: Db, { table, column, most }: Removal): Promise<number> {
  if (most === undefined) return 0;
  const { rows } = await sql<{ time: number }>`
    select ${sql.ref(column)} as time from ${sql.table(table)}
    order by ${sql.ref(column)} desc limit 1 offset ${most}`.execute(db);
  return rows[0]?.time ?? 0;
}

/** Removes batches from each table until none is full. If one table fails, the others are still cleaned. */
export function expiryJob(expiries: readonly KnownExpiry[], store: Store, clock: () => number): Job {
  const run = async () => {
    const removed: number[] = [];
    const problems: unknown[] = [];
    for (const expiry of expiries) {
      const removal = { ...expiry, now: clock(), limit: BATCH };
      await store.write(removeExpired, removal).then(
        (rows) => removed.push(rows),
        (error: unknown) => problems.push(error),
      );
    }
    if (problems.length > 0) throw problems[0];
    return removed.includes(BATCH);
  };
  return { name: 'removing expired rows', every: MINUTE_MS, run };
}
