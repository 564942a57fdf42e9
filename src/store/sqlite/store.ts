import { sql } from 'kysely';
import type { ReadOperation, WriteOperation } from '../operation.ts';
import type { Store } from '../store.ts';
import type { Db } from '../tables.ts';
import { openForReading } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import type { ThreadData } from './operations.ts';
import { OperationThread } from './thread.ts';

/** Writes that may wait for the disk before new ones are refused as `busy`. */
const WRITE_LIMIT = 10_000;
/** Long reads that may wait for the reader thread before new ones are refused as `busy`. */
const LONG_READ_LIMIT = 64;

/**
 * The embedded store: one writer thread (group commit), short reads at once in the calling thread,
 * long reads in a thread of their own. The file must have the schema of this version.
 */
export async function openSqliteStore(data: ThreadData): Promise<Store> {
  const [writer, reader] = await Promise.all([
    OperationThread.start(new URL('./writer-thread.ts', import.meta.url), data, WRITE_LIMIT),
    OperationThread.start(new URL('./reader-thread.ts', import.meta.url), data, LONG_READ_LIMIT),
  ]);
  return new SqliteStore(writer, reader, data.file);
}

class SqliteStore implements Store {
  readonly defersIndexing = true;
  readonly #writer: OperationThread;
  readonly #reader: OperationThread;
  readonly #database;
  readonly #db: Db;

  constructor(writer: OperationThread, reader: OperationThread, file: string) {
    this.#writer = writer;
    this.#reader = reader;
    this.#database = openForReading(file);
    this.#db = kyselyOn(this.#database);
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    if (operation.isLong(input)) return this.#reader.call(operation.name, input) as Promise<Output>;
    return operation.run(this.#db, input, sqliteEngine);
  }

  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#writer.call(operation.name, input) as Promise<Output>;
  }

  /** Nobody else serves from this file, so there is nothing to hear. */
  onChange(): void {}

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.#db);
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
    this.#database.close();
  }
}
