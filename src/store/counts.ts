import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import type { Engine } from './operation.ts';
import { statement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * Ids in a bucket. The triggers of a counted table use the same number. A bucket is small enough to skip its rows
 * quickly, and large enough that a million rows make only 245 buckets.
 */
export const BUCKET_SIZE = 4096;

/** Where a page begins: after the first `offset` visible rows whose ids are at least `id`. */
export interface Seek {
  readonly id: number;
  readonly offset: number;
}

/** Reads `limit` visible rows by id, from that place. */
type RowsFrom<Row> = (db: Db, from: Seek & { limit: number }) => Promise<Row[]>;

/**
 * The visible rows of a table that triggers count (docs/decisions/lists-and-search.md): their total, and pages of them
 * by id. The cost of a total or a page does not grow with the table.
 */
export function countedTable(table: string) {
  const totals = sql.table(`${table}_total`);
  const buckets = sql.table(`${table}_buckets`);
  const readTotal = statement(() => sql<{ rows: number }>`select rows from ${totals}`);
  const readBuckets = statement(() => sql<Bucket>`select bucket, rows from ${buckets} order by bucket`);
  /** The bucket of the row at an offset, and the number of rows before the bucket. */
  const findBucket = statement(
    (_, input: { offset: number }) => sql<{ bucket: number; before: number }>`
      select bucket, before from (
        select bucket, rows, cast(sum(rows) over (order by bucket) as bigint) - rows as before from ${buckets}
      ) as summed where before + rows > ${input.offset} order by bucket limit 1`,
  );

  async function total(db: Db): Promise<number> {
    const [counted] = await readTotal(db, {});
    return counted?.rows ?? 0;
  }

  /**
   * Turns a deep offset among all rows into a short one within a bucket, so that page 50,000 skips at most BUCKET_SIZE
   * rows instead of a million.
   */
  async function seek(db: Db, offset: number, { name }: Pick<Engine, 'name'>): Promise<Seek> {
    if (offset < BUCKET_SIZE) return { id: 0, offset };
    // PostgreSQL would have to send every bucket, which costs more than to sum them up there. SQLite sends nothing.
    if (name === 'sqlite') return seekAmong(await readBuckets(db, {}), offset);
    const [found] = await findBucket(db, { offset });
    return found ? { id: found.bucket * BUCKET_SIZE, offset: offset - found.before } : { id: 0, offset };
  }

  /**
   * One page by id, and the exact total. Independent statements run together, so that they share a round trip on
   * PostgreSQL.
   */
  async function pageOfAll<Row>(
    db: Db,
    request: PageRequest,
    rowsFrom: RowsFrom<Row>,
    engine: Pick<Engine, 'name'>,
  ): Promise<Page<Row>> {
    const { page, per_page } = request;
    const [limit, offset] = [per_page, offsetOf(request)];
    if (offset < BUCKET_SIZE) {
      const [rows, items] = await Promise.all([total(db), rowsFrom(db, { id: 0, limit, offset })]);
      return { items, total: rows, page, per_page };
    }
    const [rows, start] = await Promise.all([total(db), seek(db, offset, engine)]);
    if (offset >= rows) return { items: [], total: rows, page, per_page };
    return { items: await rowsFrom(db, { ...start, limit }), total: rows, page, per_page };
  }

  return { total, seek, page: pageOfAll };
}

interface Bucket {
  readonly bucket: number;
  readonly rows: number;
}

function seekAmong(buckets: readonly Bucket[], offset: number): Seek {
  let before = 0;
  for (const { bucket, rows } of buckets) {
    if (before + rows > offset) return { id: bucket * BUCKET_SIZE, offset: offset - before };
    before += rows;
  }
  return { id: 0, offset };
}
