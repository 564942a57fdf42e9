import { pipeline, Readable, type Transform, type Writable } from 'node:stream';
import { pipeline as finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { LiveTable, MoveEnd } from '../../store/move-end.ts';
import type { MoveListener } from '../backlog.ts';
import { RowSum } from '../checksum.ts';
import type { Proof } from '../move.ts';
import { batchesOf, countOf, type Row, valuesOf } from '../rows.ts';
import { closingFrames, FORMAT, type Footer, type Header, headerFrame, newDigest } from './format.ts';

interface Writing {
  readonly output: Writable;
  /** Ends the writing with an error when it is aborted. */
  readonly signal: AbortSignal;
  readonly listener: MoveListener;
}

/**
 * Writes a backup of these tables of a prepared source (prepare.ts) to the output, and ends the output. One batch of rows
 * is in memory at a time. Returns what the file holds of each table.
 */
export async function writeBackup(
  source: MoveEnd,
  tables: readonly LiveTable[],
  about: Pick<Header, 'stoa' | 'schema' | 'sealing'>,
  { output, signal, listener }: Writing,
): Promise<Proof[]> {
  const header: Header = {
    format: FORMAT,
    engine: source.engine.name,
    made_at: Date.now(),
    database: await idOf(source),
    ...about,
    tables,
  };
  const written: Footer['tables'][number][] = [];
  const digest = newDigest();
  async function* bytes() {
    yield headerFrame(header);
    yield* compressed(linesOf(source, tables, listener, (table) => written.push(table)));
    yield closingFrames({ tables: written });
  }
  async function* file() {
    for await (const chunk of bytes()) {
      digest.update(chunk);
      yield chunk;
    }
    yield digest.digest();
  }
  await finished(file, output, { signal });
  return written;
}

async function idOf({ db }: MoveEnd): Promise<string> {
  const { id } = await db.selectFrom('database_id').select('id').executeTakeFirstOrThrow();
  return id;
}

/** Fails as `lines` does. */
function compressed(lines: AsyncIterable<string>): Transform {
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  // An error of the lines ends the reader of `zstd` with it.
  pipeline(Readable.from(lines), zstd, () => {});
  return zstd;
}

/**
 * The same batches. PostgreSQL's process reads for a backup at the priority of those that serve requests, so it rests after
 * each batch as long as the batch took.
 */
async function* unhurried({ engine }: MoveEnd, batches: AsyncGenerator<Row[]>): AsyncGenerator<Row[]> {
  for (let begun = performance.now(); ; begun = performance.now()) {
    const { value, done } = await batches.next();
    if (done) return;
    const took = performance.now() - begun;
    yield value;
    if (engine.name === 'postgres') await pause(took);
  }
}

async function* linesOf(
  source: MoveEnd,
  tables: readonly LiveTable[],
  listener: MoveListener,
  onEnd: (written: Footer['tables'][number]) => void,
): AsyncGenerator<string> {
  for (const table of tables) {
    listener.begin(`writing ${table.name}`, await countOf(source.db, table));
    yield `${JSON.stringify(table.name)}\n`;
    const sum = new RowSum();
    let highest = 0;
    for await (const batch of unhurried(source, batchesOf(source.db, table))) {
      const rows = batch.map((row) => JSON.stringify(valuesOf(table, row)));
      for (const row of rows) sum.add(row);
      if (table.isNumbered) highest = Number(batch.at(-1)?.[table.key[0] ?? ''] ?? 0);
      listener.reach(sum.checksum.rows);
      yield `[${rows.join(',')}]\n`;
    }
    // A table may get its numbers from elsewhere, and then its sequence knows none of them.
    const last = table.isNumbered ? Math.max(highest, await source.lastId(table.name)) : 0;
    onEnd({ table: table.name, ...sum.checksum, last_id: last });
  }
}
