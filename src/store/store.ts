import type { Change, ReadOperation, WriteOperation } from './operation.ts';

/**
 * The port to the database: two methods, the same on both engines.
 *
 * Guarantees: when `write` resolves, its change is on disk. When `write` rejects, nothing was changed, with one
 * exception: where the connection to PostgreSQL is lost during the commit, nobody can know, and `write` fails with
 * `unavailable`. `read` and `write` see every write that resolved before they began.
 *
 * On PostgreSQL writes run beside one another. An operation that decides by a row locks the row first (`forUpdate`,
 * `forNoKeyUpdate`, `forShare`). An operation that decides by a row that is not there locks a name (`Engine.lock`)
 * or leaves the decision to a constraint.
 *
 * Fails with the Failure of the operation; with `unavailable` when the engine cannot work now (disk full, connection
 * lost); with `busy` when too much waits; or with an unexpected error when the operation is at fault.
 */
export interface Store {
  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output>;
  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output>;
  /**
   * Calls the listener after each write of this process, whether it succeeded or failed, but not after background
   * writes.
   */
  onWrite(listener: () => void): void;
  /**
   * Calls the listener with what any instance published in a write (`Engine.publish`), within milliseconds of
   * the commit, and with 'anything' when a change may have been missed. A call may be lost, so it only makes
   * forgetting early: whoever remembers rows has to read them again in time without any call.
   */
  onChange(listener: (change: Change) => void): void;
  /**
   * Resolves when a trivial statement was answered. Rejects with `unavailable` otherwise, and also after a write that
   * failed for lack of room, until there seems to be room again.
   */
  ping(): Promise<void>;
  /** Finishes the work under way, and releases every thread, file and connection. May be called again. */
  close(): Promise<void>;
}
