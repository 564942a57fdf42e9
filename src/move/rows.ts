import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../store/tables.ts';
import type { MovedTable } from './tables.ts';

/** Both engines give and take these; nothing else is stored. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
/** The primary key of a row, in the order of `MovedTable.key`. */
export type Key = readonly Value[];

/** A batch has at most about this many bytes in its large column, or else a single row. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The rows after a key, in the order of the key, as many as make one batch. */
async function rowsAfter(db: Db, table: MovedTable, after: Key | undefined): Promise<Row[]> {
  const limit = table.large === undefined ? table.batch : await rowsThatFit(db, table, table.large, after);
  const { rows } = await sql<Row>`
    select ${columnsOf(table)} ${following(table, after)} limit ${limit}`.execute(db);
  return rows;
}

/** The databases know the size of a value without reading it. */
async function rowsThatFit(
  db: Db,
  table: MovedTable,
  large: string,
  after: Key | undefined,
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select octet_length(${sql.ref(large)}) as bytes ${following(table, after)} limit ${table.batch}`.execute(
    db,
  );
  let bytes = 0;
  const tooMany = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes > BATCH_BYTES;
  });
  return tooMany === -1 ? table.batch : Math.max(1, tooMany);
}

function following(table: MovedTable, after: Key | undefined): RawBuilder<unknown> {
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  const beyond = after ? sql`where (${key}) > (${sql.join(after)})` : sql``;
  return sql`from ${sql.table(table.name)} ${beyond} order by ${key}`;
}

function columnsOf(table: MovedTable): RawBuilder<unknown> {
  return sql.join(table.columns.map((column) => sql.ref(column)));
}

/** All rows in the order of the key, one batch in memory at a time. */
export async function* batchesOf(db: Db, table: MovedTable, after?: Key): AsyncGenerator<Row[]> {
  for (let last = after; ; ) {
    const rows = await rowsAfter(db, table, last);
    const end = rows.at(-1);
    if (!end) return;
    yield rows;
    last = keyOf(table, end);
  }
}

export async function insertRows(db: Db, table: MovedTable, rows: readonly Row[]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(valuesOf(table, row))})`);
  await sql`insert into ${sql.table(table.name)} (${columnsOf(table)}) values ${sql.join(values)}`.execute(
    db,
  );
}

export async function countOf(db: Db, table: MovedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table.name)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

export function keyOf(table: MovedTable, row: Row): Key {
  return table.key.map((column) => row[column] ?? null);
}

export function valuesOf(table: MovedTable, row: Row): Value[] {
  return table.columns.map((column) => row[column] ?? null);
}
