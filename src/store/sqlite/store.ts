import { storageReadOnly } from '../../domain/failure.ts';
import type { Reading } from '../../domain/metrics.ts';
import type { DerivedSchema } from '../migration.ts';
import type { ReadOperation, WriteOperation } from '../operation.ts';
import type { Store } from '../store.ts';
import { StoreBase } from '../store-base.ts';
import { WriteTrouble } from '../write-trouble.ts';
import { prepareDerived } from './derived.ts';
import { takesWrites } from './disk-space.ts';
import { FileLock, type FileUser } from './lock.ts';
import { OperationThreads } from './operation-threads.ts';
import type { ThreadData } from './operations.ts';
import { OwnFiles } from './own-files.ts';
import { SqliteReads } from './reads.ts';
import { measureFiles } from './sizes.ts';
import { WritePause } from './write-pause.ts';

/**
 * The pause that background work waits for, and the longest wait. Writes under full load leave no such pause, and
 * neither do a thousand writes a second at an even rate. Indexing then runs after LONGEST_MS, often enough to keep up
 * with them (docs/decisions/store.md).
 */
const IDLE_MS = 2;
const LONGEST_MS = 8;
/**
 * A writer that has answered nothing for this long is taken to hang, as it does on a disk that answers no fsync. It may
 * wait 5 s for the lock of a command and 4 s for the readers of a long log, and no write of a service takes as long.
 */
const HANGING_MS = 20_000;
/** How often the store looks again while the disk is full, or the file takes no writes. */
const LOOK_AGAIN_MS = 1_000;

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
  // A command that only reads needs no writer. That of any other one starts with its first write.
  if (user === 'server') await threads.writer.start();
  return new SqliteStore(data, lock, threads);
}

class SqliteStore extends StoreBase {
  readonly #file: string;
  readonly #threads: OperationThreads;
  readonly #lock: FileLock;
  readonly #files: OwnFiles;
  readonly #reads: SqliteReads;
  readonly #writePause = new WritePause(IDLE_MS, LONGEST_MS);
  readonly #trouble: WriteTrouble;
  readonly #hangingMs: number;

  constructor({ file, patience = 1 }: ThreadData, lock: FileLock, threads: OperationThreads) {
    super();
    this.#hangingMs = patience * HANGING_MS;
    this.#file = file;
    this.#files = new OwnFiles(file);
    this.#threads = threads;
    this.#lock = lock;
    this.#reads = new SqliteReads(file, threads, 'turn');
    this.#trouble = new WriteTrouble(() => takesWrites(file), LOOK_AGAIN_MS);
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#reads.read(operation, input);
  }

  /** Resolves when the write is on disk, the next read sees it, and every listener got its announcements. */
  protected async run<Input, Output>(
    operation: WriteOperation<Input, Output>,
    input: Input,
  ): Promise<Output> {
    const done = this.#reads.seeWrites;
    if (operation.isBackground) await this.#writePause.wait();
    else this.#writePause.disturb();
    try {
      if (operation.isDerived) return await this.#threads.call('deriver', operation, input).finally(done);
      const { value, announcements } = await this.#threads.write(operation, input).finally(done);
      this.tell(announcements);
      return value;
    } catch (error) {
      this.#trouble.note(error);
      throw error;
    } finally {
      if (!operation.isBackground) this.#writePause.disturb();
    }
  }

  async ping(): Promise<void> {
    await this.#reads.ping();
    this.#files.require();
    const { silence } = this.#threads.writer;
    if (silence > this.#hangingMs)
      throw storageReadOnly(new Error(`no write has ended for ${Math.round(silence / 1_000)} s`));
    await this.#trouble.require();
  }

  readings(): readonly Reading[] {
    return this.#threads.readings;
  }

  measure(): Promise<readonly Reading[]> {
    return measureFiles(this.#file);
  }

  protected async finish(): Promise<void> {
    await this.#reads.close();
    // Each of these closes the last connection to its file, so SQLite copies the log into the file and removes the log.
    await this.#threads.deriver.close();
    await this.#threads.writer.close();
    this.#lock.release();
  }
}
