import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { OperatorError } from '../domain/operator-error.ts';
import { escaped } from '../domain/shown.ts';
import type { LiveTable } from '../store/move-end.ts';
import type { Db } from '../store/tables.ts';

/** The only kinds of values that both engines store. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;
/** The primary key of a row, in the order of `LiveTable.key`. */
export type Key = readonly Value[];

const BATCH_ROWS = 500;
/** A batch has at most this many bytes of text, unless it is a single row. */
const BATCH_BYTES = 2 * 1024 * 1024;

/** One batch of rows after a key, in the order of the key. */
async function rowsAfter(db: Db, table: LiveTable, after: Key | undefined): Promise<Row[]> {
  const limit = Math.max(1, await rowsThatFit(db, table, after));
  const { rows } = await sql<Row>`
    select ${columnsOf(table)} ${following(table, after)} limit ${limit}`.execute(db);
  return rows;
}

/** How many of the next rows fit into BATCH_BYTES. The database knows the size of a text without reading the text. */
async function rowsThatFit(db: Db, table: LiveTable, after: Key | undefined): Promise<number> {
  const { rows } = await sql<{ fit: number }>`
    select count(*) as fit from (
      select sum(bytes) over (order by ${keyOfTable(table)}) as total from (
        select ${keyOfTable(table)}, ${bytesOf(table)} as bytes ${following(table, after)} limit ${BATCH_ROWS}
      ) as next
    ) as summed where total <= ${BATCH_BYTES}`.execute(db);
  return rows[0]?.fit ?? 0;
}

function bytesOf({ columns }: LiveTable): RawBuilder<unknown> {
  const texts = columns.filter(({ type }) => type === 'text');
  const bytes = texts.map(({ name }) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`);
  return sql.join([sql`0`, ...bytes], sql` + `);
}

function following(table: LiveTable, after: Key | undefined): RawBuilder<unknown> {
  const key = keyOfTable(table);
  const beyond = after ? sql`where (${key}) > (${sql.join(after)})` : sql``;
  return sql`from ${sql.table(table.name)} ${beyond} order by ${key}`;
}

function keyOfTable({ key }: LiveTable): RawBuilder<unknown> {
  return sql.join(key.map((column) => sql.ref(column)));
}

function columnsOf({ columns }: LiveTable): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/** The rows after a key, or all, in the order of the key. One batch is in memory at a time. */
export async function* batchesOf(db: Db, table: LiveTable, after?: Key): AsyncGenerator<Row[]> {
  for (let last = after; ; ) {
    const rows = await rowsAfter(db, table, last);
    const end = rows.at(-1);
    if (!end) return;
    yield rows;
    last = keyOf(table, end);
    // SQLite answers in the same turn of the event loop, so without this pause no signal would be noticed before the
    // last row.
    await nextTurn();
  }
}

export async function insertRows(db: Db, table: LiveTable, rows: readonly Row[]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(valuesOf(table, row))})`);
  await sql`insert into ${sql.table(table.name)} (${columnsOf(table)}) values ${sql.join(values)}`.execute(
    db,
  );
}

export async function countOf(db: Db, table: LiveTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table.name)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** The values of the primary key, in the order of its columns. */
export function keyOf(table: LiveTable, row: Row): Key {
  return table.key.map((column) => row[column] ?? null);
}

/**
 * The values of a row in the order of the columns. Fails with OperatorError for an integer from 2^53 on: both ends
 * would round such a number alike, and the proof would not show it.
 */
export function valuesOf(table: LiveTable, row: Row): Value[] {
  return table.columns.map(({ name }) => {
    const value = row[name] ?? null;
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    throw new OperatorError(
      `"${table.name}.${name}" has the number ${value} in the row ${escaped(keyOf(table, row).join(', '))}, which is too large to be moved exactly; correct it first.`,
    );
  });
}
