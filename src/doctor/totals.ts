import { sql } from 'kysely';
import { BUCKET_SIZE } from '../store/counts.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Totals of some rows of a table. All others have the name of their table, and count all its visible rows. */
const PARTS: Readonly<Record<string, { readonly of: string; readonly rows: ReturnType<typeof sql> }>> = {
  content_members: { of: 'content', rows: sql`content where visible = 1 and visibility = 'members'` },
};

interface Totals {
  readonly real: number;
  readonly total: number;
  readonly summed: number;
}

/** What triggers counted for a counted table, and how many rows there are. Reads all rows. */
export async function totalsOf(db: Db, table: string): Promise<Totals> {
  const { rows } = await sql<Totals>`
    select (select count(*) from ${countedRows(table)}) as real,
      (select rows from ${sql.table(`${table}_total`)}) as total,
      (select coalesce(sum(rows), 0) from ${sql.table(`${table}_buckets`)}) as summed`.execute(db);
  const [found] = rows;
  return { real: Number(found?.real), total: Number(found?.total), summed: Number(found?.summed) };
}

export function areRight({ real, total, summed }: Totals): boolean {
  return real === total && real === summed;
}

/** Counts the rows again inside the caller's transaction, and keeps others from writing to the table meanwhile. */
export async function recount(db: Db, table: string, engine: Engine): Promise<void> {
  const counted = sql`select id / ${sql.lit(BUCKET_SIZE)}, count(*) from ${countedRows(table)} group by 1`;
  if (engine.name === 'sqlite') {
    await sql`delete from ${sql.table(`${table}_buckets`)}`.execute(db);
    await sql`insert into ${sql.table(`${table}_buckets`)} (bucket, rows) ${counted}`.execute(db);
    await sql`update ${sql.table(`${table}_total`)} set rows =
      (select coalesce(sum(rows), 0) from ${sql.table(`${table}_buckets`)})`.execute(db);
    return;
  }
  const sums = sql.table(`${table}_bucket_sums`);
  await sql`set local lock_timeout = '5s'`.execute(db);
  // The job that adds up changes takes the same lock.
  await engine.lock(db, `counts of ${table}`);
  await sql`lock table ${sql.table(PARTS[table]?.of ?? table)} in share row exclusive mode`.execute(db);
  await sql`delete from ${sql.table(`${table}_bucket_changes`)}`.execute(db);
  await sql`delete from ${sums}`.execute(db);
  await sql`update ${sql.table(`${table}_bucket_sums_total`)} set rows = 0`.execute(db);
  // A trigger adds each row to the total.
  await sql`insert into ${sums} (bucket, rows) ${counted}`.execute(db);
}

function countedRows(table: string) {
  return PARTS[table]?.rows ?? sql`${sql.table(table)} where visible = 1`;
}
