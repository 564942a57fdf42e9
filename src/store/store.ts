import type { ReadOperation, WriteOperation } from './operation.ts';

/**
 * The port to the database: two words, the same on both engines.
 *
 * Guarantees: when `write` resolves, its change is on disk; when it rejects, nothing was changed.
 * Writes are serializable: each sees the effects of all that resolved before it began.
 * `read` sees every write that resolved before it began.
 *
 * Fails with the operation's own Failure, with `unavailable` when the engine cannot work now
 * (disk full, connection lost), or with an unexpected error when the operation is at fault.
 */
export interface Store {
  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output>;
  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output>;
  /** Resolves when a trivial statement came back; rejects with `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Finishes the writes under way and releases every thread, file and connection; once is enough. */
  close(): Promise<void>;
}
