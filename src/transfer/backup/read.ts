import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { LiveTable } from '../../store/move-end.ts';
import { linesOf } from '../lines.ts';
import type { Prepared } from '../prepare.ts';
import { type Key, keyOf, type Row, type Value } from '../rows.ts';
import type { Source } from '../source.ts';
import { cutOrChanged, type Footer } from './format.ts';
import { IDS_LEFT_OUT } from './mark-restored.ts';
import type { Verified } from './verify.ts';

/** A batch has 2 MiB of text, or is one row. JSON writes a byte in at most six. */
const MOST_LINE_BYTES = 256 * 1024 * 1024;

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
    batches: (table, after) => batchesOf(lines, table, written(footer, table.name).rows, after),
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

/** All lines of the file: the name of a table, and then batches of its rows. */
async function* linesIn(
  { name, handle }: { readonly name: string; readonly handle: FileHandle },
  { begin, end }: Verified,
): AsyncGenerator<Line> {
  const zstd = createZstdDecompress();
  pipeline(handle.createReadStream({ start: begin, end: end - 1, autoClose: false }), zstd, () => {});
  for await (const { bytes } of linesOf(zstd, MOST_LINE_BYTES)) {
    if (!bytes) throw cutOrChanged(name);
    yield JSON.parse(bytes.toString()) as Line;
  }
}

/** The batches of the next table after a key, which is the last of a batch. */
async function* batchesOf(
  lines: AsyncGenerator<Line>,
  table: LiveTable,
  count: number,
  after: Key | undefined,
): AsyncGenerator<Row[]> {
  const reached = after && JSON.stringify(after);
  let isNew = reached === undefined;
  const name = await nextLine(lines);
  if (name !== table.name) throw new Error(`The backup has "${name}" in the place of "${table.name}".`);
  for (let left = count; left > 0; ) {
    const line = await nextLine(lines);
    if (typeof line === 'string') throw new Error(`The backup has too few rows of "${table.name}".`);
    left -= line.length;
    const rows = line.map((values) => rowOf(table, values));
    const last = rows.at(-1);
    if (isNew) yield rows;
    else isNew = last !== undefined && JSON.stringify(keyOf(table, last)) === reached;
  }
}

async function nextLine(lines: AsyncGenerator<Line>): Promise<Line> {
  const { value, done } = await lines.next();
  if (done) throw new Error('The backup has too few lines.');
  return value;
}

function rowOf({ columns }: LiveTable, values: readonly Value[]): Row {
  return Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null]));
}

function written({ tables }: Footer, name: string): Footer['tables'][number] {
  const table = tables.find((each) => each.table === name);
  if (!table) throw new Error(`The backup has no checksum of "${name}".`);
  return table;
}
