import { sql } from 'kysely';
import { Lull } from '../lull.ts';
import type { DerivedSchema } from '../migration.ts';
import type { ReadOperation, WriteOperation } from '../operation.ts';
import { Room } from '../room.ts';
import type { Store } from '../store.ts';
import type { Db } from '../tables.ts';
import { openWithDerived, prepareDerived } from './derived.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { FileLock, type FileUser } from './lock.ts';
import type { ThreadData } from './messages.ts';
import { hasRoomBeside } from './room.ts';
import { Snapshot } from './snapshot.ts';
import { OperationThread } from './thread.ts';

/** Writes that may wait for the disk before new ones are refused as `busy`. */
const WRITE_LIMIT = 10_000;
/** Long reads that may wait for the reader thread before new ones are refused as `busy`. */
const LONG_READ_LIMIT = 64;
/** The same for writes of what is derived, of which each job has one under way at most. */
const DERIVED_LIMIT = 64;

/**
 * The lull that background work waits for, and how long it waits at most. Groups of writes under full load follow one
 * another without such a lull, and so do a thousand writes a second, evenly: indexing then goes on after LONGEST_MS,
 * which is often enough to keep up with them (decisions 0038).
 */
const IDLE_MS = 2;
const LONGEST_MS = 8;
/** While the disk is full: how often the store looks for room. */
const LOOK_FOR_ROOM_MS = 1_000;

export interface SqliteOptions extends ThreadData {
  readonly derived: DerivedSchema;
  readonly user: FileUser;
  /** Called if a thread of the store ends by itself: from then on the store fails with `unavailable`. */
  readonly onLost?: ((reason: Error) => void) | undefined;
}

/**
/**
 * Opens the embedded store: one writer thread (group commit), short reads in the calling thread, and two threads that
 * start with their first call: one for long reads, one for what is derived. The file must have the schema of this
 * version. Fails with OperatorError while a move has the file, and a server also while another one has it.
 */
export async function openSqliteStore({
  onLost = () => {},
  derived,
  user,
  ...data
}: SqliteOptions): Promise<Store> {
  const lock = FileLock.of(data.file, user);
  prepareDerived(data.file, derived);
  const start = (module: URL, limit: number) => OperationThread.start(module, data, { limit, onLost });
  const writer = await start(new URL('./writer-thread.ts', import.meta.url), WRITE_LIMIT);
  return new SqliteStore(data.file, lock, {
    writer,
    startReader: () => start(new URL('./reader-thread.ts', import.meta.url), LONG_READ_LIMIT),
    startDeriver: () => start(new URL('./derived-thread.ts', import.meta.url), DERIVED_LIMIT),
  });
}

interface Threads {
  readonly writer: OperationThread;
  readonly startReader: () => Promise<OperationThread>;
  readonly startDeriver: () => Promise<OperationThread>;
}

class SqliteStore implements Store {
  readonly #threads: Threads;
  /** Started by the first long read, since many installations never see one. */
  #reader: Promise<OperationThread> | undefined;
  #deriver: Promise<OperationThread> | undefined;
  readonly #lock: FileLock;
  readonly #database;
  readonly #db: Db;
  readonly #snapshot: Snapshot;
  readonly #writeListeners: (() => void)[] = [];
  readonly #lull = new Lull(IDLE_MS, LONGEST_MS);
  readonly #room: Room;
  #closing: Promise<void> | undefined;

  constructor(file: string, lock: FileLock, threads: Threads) {
    this.#threads = threads;
    this.#lock = lock;
    this.#database = openWithDerived(file);
    this.#db = kyselyOn(this.#database);
    this.#snapshot = new Snapshot(this.#database);
    this.#room = new Room(() => hasRoomBeside(file), LOOK_FOR_ROOM_MS);
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    if (operation.isLong(input)) return this.#readLong(operation, input);
    this.#snapshot.open();
    return operation.run(this.#db, input, sqliteEngine);
  }

  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    if (operation.isDerived) return this.#derive(operation, input);
    return operation.isBackground ? this.#writeInLull(operation, input) : this.#write(operation, input);
  }

  #write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    this.#lull.disturb();
    return this.#send(operation, input).finally(() => {
      this.#snapshot.close();
      this.#lull.disturb();
      for (const listener of this.#writeListeners) listener();
    });
  }

  async #writeInLull<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    await this.#lull.wait();
    return this.#send(operation, input).finally(() => this.#snapshot.close());
  }

  #send<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const written = this.#threads.writer.call(operation.name, input) as Promise<Output>;
    written.catch((error) => this.#room.note(error));
    return written;
  }

  onWrite(listener: () => void): void {
    this.#writeListeners.push(listener);
  }

  /** No other instance serves from this file, so there is nothing to hear. */
  onChange(): void {}

  async ping(): Promise<void> {
    this.#threads.writer.requireAlive();
    (await this.#reader?.catch(() => undefined))?.requireAlive();
    (await this.#deriver?.catch(() => undefined))?.requireAlive();
    await sql`select 1`.execute(this.#db);
    await this.#room.require();
  }

  async #readLong<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    this.#reader ??= this.#threads.startReader().catch((error) => {
      this.#reader = undefined;
      throw error;
    });
    const reader = await this.#reader;
    return reader.call(operation.name, input) as Promise<Output>;
  }

  async #derive<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    await this.#lull.wait();
    const deriver = await this.#derivingThread();
    const written = deriver.call(operation.name, input) as Promise<Output>;
    written.catch((error) => this.#room.note(error));
    return written.finally(() => this.#snapshot.close());
  }

  /** One that could not start is started again by the next call. */
  #derivingThread(): Promise<OperationThread> {
    this.#deriver ??= this.#threads.startDeriver().catch((error) => {
      this.#deriver = undefined;
      throw error;
    });
    return this.#deriver;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await (await this.#reader?.catch(() => undefined))?.close();
    this.#snapshot.close();
    this.#database.close();
    // Each of these closes the last connection to its file: then SQLite copies the log into the file and removes the log.
    await (await this.#deriver?.catch(() => undefined))?.close();
    await this.#threads.writer.close();
    this.#lock.release();
  }
}
