import { sql } from 'kysely';
import type { Db } from '../store/tables.ts';
import type { MovedTable } from './tables.ts';

/** Both engines give and take these; nothing else is stored. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
/** The primary key of a row, in the order of `MovedTable.key`. */
export type Key = readonly Value[];

/** The rows after a key, in the order of the key, as many as the table's batch. */
export async function rowsAfter(db: Db, table: MovedTable, after: Key | undefined): Promise<Row[]> {
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  const beyond = after ? sql`where (${key}) > (${sql.join(after)})` : sql``;
  const { rows } = await sql<Row>`
    select ${sql.join(table.columns.map((column) => sql.ref(column)))} from ${sql.table(table.name)}
    ${beyond} order by ${key} limit ${table.batch}`.execute(db);
  return rows;
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
  const columns = sql.join(table.columns.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(valuesOf(table, row))})`);
  await sql`insert into ${sql.table(table.name)} (${columns}) values ${sql.join(values)}`.execute(db);
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
