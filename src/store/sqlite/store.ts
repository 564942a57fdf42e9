import { stat } from 'node:fs/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { type Reading, readingsOf } from '../../domain/metrics.ts';
import { hasCode } from '../../domain/reason.ts';
import { DiskSpace } from '../disk-space.ts';
import type { DerivedSchema } from '../migration.ts';
import type { ReadOperation, WriteOperation } from '../operation.ts';
import { SharedReads } from '../shared-reads.ts';
import type { Store } from '../store.ts';
import { StoreBase } from '../store-base.ts';
import type { Db } from '../tables.ts';
import { derivedFileOf, openWithDerived, prepareDerived } from './derived.ts';
import { kyselyOn, sqliteEngine } from './dialect.ts';
import { hasRoomBeside } from './disk-space.ts';
import { FileLock, type FileUser } from './lock.ts';
import { Lull } from './lull.ts';
import { OperationThreads } from './operation-threads.ts';
import type { ThreadData } from './operations.ts';
import { rollBack } from './roll-back.ts';

/**
 * The pause that background work waits for, and the longest wait. Writes under full load leave no such pause, and
 * neither do a thousand writes a second at an even rate. Indexing then runs after LONGEST_MS, often enough to keep up
 * with them (docs/decisions/store.md).
 */
const IDLE_MS = 2;
const LONGEST_MS = 8;
/** How often the store checks for room while the disk is full. */
const LOOK_FOR_ROOM_MS = 1_000;

export interface SqliteOptions extends ThreadData {
  readonly derived: DerivedSchema;
  readonly user: FileUser;
  /** Called if a thread of the store ends by itself. After that the store fails with `unavailable`. */
  readonly onLost?: ((reason: Error) => void) | undefined;
}

/**
 * Opens the embedded store: one writer thread (group commit), short reads in the calling thread, and two threads that
 * start with their first call, one for long reads and one for derived data. The file must have the schema of this
 * version. Fails with OperatorError during a move, and for a server also while another one uses the file.
 */
export async function openSqliteStore({
  onLost = () => {},
  derived,
  user,
  ...data
}: SqliteOptions): Promise<Store> {
  const lock = FileLock.of(data.file, user);
  prepareDerived(data.file, derived);
  const threads = new OperationThreads(data, onLost);
  await threads.writer.start();
  return new SqliteStore(data.file, lock, threads);
}

class SqliteStore extends StoreBase {
  readonly #file: string;
  readonly #threads: OperationThreads;
  readonly #lock: FileLock;
  readonly #database;
  readonly #db: Db;
  readonly #snapshot: Snapshot;
  readonly #shared = new SharedReads();
  readonly #lull = new Lull(IDLE_MS, LONGEST_MS);
  readonly #disk: DiskSpace;

  constructor(file: string, lock: FileLock, threads: OperationThreads) {
    super();
    this.#file = file;
    this.#threads = threads;
    this.#lock = lock;
    this.#database = openWithDerived(file);
    this.#db = kyselyOn(this.#database);
    this.#snapshot = new Snapshot(this.#database);
    this.#disk = new DiskSpace(() => hasRoomBeside(file), LOOK_FOR_ROOM_MS);
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    if (operation.isLong(input)) return this.#threads.call('reader', operation, input);
    this.#snapshot.open();
    return this.#shared.read(
      operation,
      input,
      () => this.#snapshot.version,
      () => operation.run(this.#db, input, sqliteEngine),
    );
  }

  /** Resolves when the write is on disk, the next read sees it, and every listener got its changes. */
  protected async run<Input, Output>(
    operation: WriteOperation<Input, Output>,
    input: Input,
  ): Promise<Output> {
    const done = () => this.#snapshot.close();
    if (operation.isBackground) await this.#lull.wait();
    else this.#lull.disturb();
    try {
      if (operation.isDerived) return await this.#threads.call('deriver', operation, input).finally(done);
      const { value, changes } = await this.#threads.write(operation, input).finally(done);
      this.tell(changes);
      return value;
    } catch (error) {
      this.#disk.note(error);
      throw error;
    } finally {
      if (!operation.isBackground) this.#lull.disturb();
    }
  }

  async ping(): Promise<void> {
    this.#threads.requireAlive();
    await sql`select 1`.execute(this.#db);
    await this.#disk.require();
  }

  readings(): readonly Reading[] {
    return this.#threads.readings;
  }

  async measure(): Promise<readonly Reading[]> {
    return readingsOf({
      stoa_database_size_bytes: await sizeOf(this.#file),
      stoa_database_log_size_bytes: await sizeOf(`${this.#file}-wal`),
      stoa_database_index_size_bytes: await sizeOf(derivedFileOf(this.#file)),
    });
  }

  protected async finish(): Promise<void> {
    await this.#threads.reader.close();
    this.#snapshot.close();
    this.#database.close();
    // Each of these closes the last connection to its file, so SQLite copies the log into the file and removes the log.
    await this.#threads.deriver.close();
    await this.#threads.writer.close();
    this.#lock.release();
  }
}

/** Bytes of a file, 0 where there is none. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

/**
 * One read transaction for all short reads of one turn of the event loop. The reads share the cost of its locks, and
 * the statements of one operation see one state of the database.
 */
class Snapshot {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #readVersion: StatementSync;
  #version: number | undefined;
  #closing: NodeJS.Immediate | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
    this.#readVersion = database.prepare('PRAGMA main.data_version');
  }

  /** The next reads see what is committed now, until the turn ends or `close` is called. */
  open(): void {
    if (this.#closing) return;
    this.#begin.run();
    this.#version = undefined;
    this.#closing = setImmediate(() => this.close());
  }

  /** Of the snapshot that is open: the same number as long as no other connection, in any process, has committed. */
  get version(): number {
    this.#version ??= Number(this.#readVersion.get()?.data_version);
    return this.#version;
  }

  /** Called when a write was acknowledged, because the next read has to see it. */
  close(): void {
    if (!this.#closing) return;
    clearImmediate(this.#closing);
    this.#closing = undefined;
    try {
      this.#end.run();
    } catch {
      // A page is damaged. The read that needed the page has failed with that error already.
      rollBack(this.#database);
    }
  }
}
