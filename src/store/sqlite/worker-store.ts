import type { Reading } from '../../domain/metrics.ts';
import type { Peer } from '../../domain/peer.ts';
import { type Announcement, isAnnouncement } from '../announcements.ts';
import type { ReadOperation, WriteOperation } from '../operation.ts';
import type { Store } from '../store.ts';
import { StoreBase } from '../store-base.ts';
import { callNoting } from './noted-calls.ts';
import { OperationThreads } from './operation-threads.ts';
import type { Call, ThreadData } from './operations.ts';
import { SqliteReads } from './reads.ts';
import { measureFiles } from './sizes.ts';

interface WorkerStoreOptions extends ThreadData {
  /** The process that has the writer. */
  readonly primary: Peer;
  readonly onLost?: ((reason: Error) => void) | undefined;
}

/**
 * The store of a worker process (docs/decisions/running.md). It reads the file itself, and sends its writes to the primary
 * by the names of their operations (`answerWorker`), so that all workers share one writer and its group commit. It locks
 * nothing: the primary has locked the file, and a worker ends with the primary.
 */
export function openWorkerStore(options: WorkerStoreOptions): Store {
  return new WorkerStore(options);
}

class WorkerStore extends StoreBase {
  readonly #file: string;
  readonly #primary: Peer;
  readonly #threads: OperationThreads;
  readonly #reads: SqliteReads;
  readonly #writer = { call: (call: Call) => this.#primary.call('write', call) };

  constructor({ primary, onLost = () => {}, ...data }: WorkerStoreOptions) {
    super();
    this.#file = data.file;
    this.#primary = primary;
    this.#threads = new OperationThreads(data, onLost);
    this.#reads = new SqliteReads(data.file, this.#threads, 'callback');
    primary.onNotice('announcements', (input) => this.tell(announcementsIn(input)));
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#reads.read(operation, input);
  }

  /** The announcements of the write arrive before its answer. */
  protected async run<Input, Output>({ name }: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    return (await callNoting(this.#writer, { name, input }).finally(this.#reads.seeWrites)) as Output;
  }

  async ping(): Promise<void> {
    await this.#reads.ping();
    await this.#primary.call('ping', null);
  }

  /** Of the reader. The primary reports the other threads. */
  readings(): readonly Reading[] {
    return this.#threads.readings;
  }

  measure(): Promise<readonly Reading[]> {
    return measureFiles(this.#file);
  }

  protected finish(): Promise<void> {
    return this.#reads.close();
  }
}

function announcementsIn(input: unknown): readonly Announcement[] {
  return Array.isArray(input) ? input.filter(isAnnouncement) : [];
}
