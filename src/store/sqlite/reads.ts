import { sql } from 'kysely';
import type { ReadOperation } from '../operation.ts';
import { SharedReads } from '../shared-reads.ts';
import type { Db } from '../tables.ts';
import { openWithDerived } from './derived.ts';
import { kyselyOn, sqliteEngine } from './dialect.ts';
import { translateSqliteError } from './errors.ts';
import type { OperationThreads } from './operation-threads.ts';
import { ReadSnapshot, type SnapshotEnd } from './read-snapshot.ts';

/** The reads of a process: short ones in the calling thread, and long ones in a thread of their own. */
export class SqliteReads {
  readonly #threads: OperationThreads;
  readonly #database;
  readonly #db: Db;
  readonly #snapshot: ReadSnapshot;
  readonly #shared = new SharedReads();

  constructor(file: string, threads: OperationThreads, snapshotEnd: SnapshotEnd) {
    this.#threads = threads;
    this.#database = openWithDerived(file);
    this.#db = kyselyOn(this.#database);
    this.#snapshot = new ReadSnapshot(this.#database, snapshotEnd);
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    if (operation.isLong(input)) return this.#threads.call('reader', operation, input);
    try {
      this.#snapshot.open();
      return this.#shared.read(
        operation,
        input,
        () => this.#snapshot.version,
        () => operation.run(this.#db, input, sqliteEngine),
      );
    } catch (error) {
      // The version of a snapshot is mostly the first that is read of the file, and has no statement of Kysely around it.
      return Promise.reject(translateSqliteError(error));
    }
  }

  /** Called when a write was answered: the next read sees it. */
  readonly seeWrites = (): void => this.#snapshot.close();

  async ping(): Promise<void> {
    this.#threads.requireAlive();
    await sql`select 1`.execute(this.#db);
  }

  async close(): Promise<void> {
    await this.#threads.reader.close();
    this.#snapshot.close();
    this.#database.close();
  }
}
