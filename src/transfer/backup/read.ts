import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { LiveTable } from '../../store/move-end.ts';
import { linesOf } from '../lines.ts';
import type { Prepared } from '../prepare.ts';
import { type Key, keyOf, type Row, type Value } from '../rows.ts';
import type { Source } from '../source.ts';
import { type Footer, notOfStoa } from './format.ts';
import { IDS_LEFT_OUT } from './mark-restored.ts';
import type { Verified } from './verify.ts';

/**
 * A batch has 2 MiB of text, or is one row, whose texts have about as much. JSON writes a byte in at most seven, where the
 * text is JSON itself.
 */
const MOST_LINE_BYTES = 64 * 1024 * 1024;

/** A verified backup as the source of a restore. Its tables can be read once, in their order. */
export function openBackup(
  file: { readonly name: string; readonly handle: FileHandle },
  verified: Verified,
): Prepared & { close(): Promise<void> } {
  const { header, footer, identity } = verified;
  const lines = linesIn(file, verified);
  const rows: Source = {
    name: `backup ${file.name}`,
    count: async ({ name }) => written(footer, name).rows,
    batches: (table, after) =>
      batchesOf({ name: file.name, lines }, table, written(footer, table.name).rows, after),
    async checksum({ name }, onRows) {
      const { rows, sum } = written(footer, name);
      onRows(rows);
      return { rows, sum };
    },
    lastId: async ({ name }) => written(footer, name).last_id + IDS_LEFT_OUT,
  };
  const close = async () => {
    await lines.return(undefined);
  };
  return { rows, tables: header.tables, identity, close };
}

type Line = string | Value[][];

/** All lines of the file: the name of a table, and then batches of its rows. Fails with OperatorError for another line. */
async function* linesIn(
  { name, handle }: { readonly name: string; readonly handle: FileHandle },
  { begin, end }: Verified,
): AsyncGenerator<Line, undefined> {
  const zstd = createZstdDecompress();
  pipeline(handle.createReadStream({ start: begin, end: end - 1, autoClose: false }), zstd, () => {});
  try {
    for await (const { bytes } of linesOf(zstd, MOST_LINE_BYTES)) yield lineIn(bytes);
  } catch (error) {
    // The disk failed, not the file.
    throw error instanceof Error && 'syscall' in error ? error : notOfStoa(name, error);
  }
  return undefined;
}

/** Fails where the bytes are no such line. */
function lineIn(bytes: Buffer | undefined): Line {
  const line: unknown = JSON.parse(String(bytes));
  if (typeof line === 'string') return line;
  if (Array.isArray(line) && line.length > 0 && line.every(isRow)) return line;
  throw new TypeError('This is no line of a backup.');
}

function isRow(row: unknown): row is Value[] {
  return (
    Array.isArray(row) && row.every((each) => each === null || ['string', 'number'].includes(typeof each))
  );
}

/** The batches of the next table after a key, which is the last of a batch. */
async function* batchesOf(
  { name, lines }: { readonly name: string; readonly lines: AsyncGenerator<Line, undefined> },
  table: LiveTable,
  count: number,
  after: Key | undefined,
): AsyncGenerator<Row[]> {
  const reached = after && JSON.stringify(after);
  let isNew = reached === undefined;
  const refuse = (what: string) => notOfStoa(name, new TypeError(`${what} "${table.name}".`));
  if ((await lines.next()).value !== table.name) throw refuse('The next line does not name the table');
  for (let left = count; left > 0; ) {
    const { value: line } = await lines.next();
    if (typeof line !== 'object' || !line.every((values) => fits(values, table)))
      throw refuse('The next line has no rows of the table');
    left -= line.length;
    const rows = line.map((values) => rowOf(table, values));
    const last = rows.at(-1);
    if (isNew) yield rows;
    else isNew = last !== undefined && JSON.stringify(keyOf(table, last)) === reached;
  }
}

/** Has the row a value of the type of each column? */
function fits(values: readonly Value[], { columns }: LiveTable): boolean {
  const isOfType = (value: Value | undefined, type: string) =>
    value === null || typeof value === (type === 'text' ? 'string' : 'number');
  return values.length === columns.length && columns.every(({ type }, at) => isOfType(values[at], type));
}

function rowOf({ columns }: LiveTable, values: readonly Value[]): Row {
  return Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null]));
}

function written({ tables }: Footer, name: string): Footer['tables'][number] {
  const table = tables.find((each) => each.table === name);
  if (!table) throw new Error(`The backup has no checksum of "${name}".`);
  return table;
}
