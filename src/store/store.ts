import type { Change, ReadOperation, WriteOperation } from './operation.ts';

/**
 * The port to the database: two words, the same on both engines.
 *
 * Guarantees: when `write` resolves, its change is on disk; when it rejects, nothing was changed (but
 * when the connection to PostgreSQL is lost during the commit, nobody can know: it is `unavailable` then).
 * `read` and `write` see every write that resolved before they began. Writes run beside one another
 * where the engine can: one that decides by a row locks it first (`forUpdate`, `forNoKeyUpdate`), one
 * that decides by what is not there locks a name (`Engine.lock`) or leaves it to a constraint.
 *
 * Fails with the operation's own Failure, with `unavailable` when the engine cannot work now
 * (disk full, connection lost), or with an unexpected error when the operation is at fault.
 */
export interface Store {
  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output>;
  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output>;
  /** Calls the listener after each write of this process that is not in the background, done or failed. */
  onWrite(listener: () => void): void;
  /**
   * Calls the listener with what any instance published in a write (`Engine.publish`), within milliseconds of
   * its commit, and with 'anything' after something may have been missed. Only for being early: what is
   * remembered has to be read anew in time even if no word ever comes.
   */
  onChange(listener: (change: Change) => void): void;
  /** Resolves when a trivial statement came back; rejects with `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Finishes the writes under way and releases every thread, file and connection; once is enough. */
  close(): Promise<void>;
}
