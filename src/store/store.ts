import type { Reading } from '../domain/metrics.ts';
import type { Announcement } from './announcements.ts';
import type { ReadOperation, WriteOperation } from './operation.ts';

/**
 * The interface of the database: two methods, the same on both engines.
 *
 * Guarantees: when `write` resolves, its change is on disk. When `write` rejects, nothing was changed, unless the
 * commit itself was interrupted: by a lost connection to PostgreSQL, by a synchronous standby that is gone, or by the
 * loss of the writer thread of SQLite. Nobody can know then, and `write` fails with `unavailable`. `read` and `write`
 * see every write that resolved before they began.
 *
 * On PostgreSQL writes run concurrently. An operation that decides by a row locks the row first (`forUpdate`,
 * `forNoKeyUpdate`, `forShare`). An operation that decides by a missing row locks a name (`Engine.lock`) or leaves the
 * decision to a constraint.
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
   * Calls the listener once for each announcement of a committed write (`Engine.announce`).
   *
   * Guarantees: an announcement of this process is delivered after its commit and before its write resolves. One of
   * another instance on PostgreSQL is delivered within milliseconds. If such announcements may have been missed, because
   * their connection was lost, the listener is called with 'anything'. A failed write announces nothing, unless the
   * connection was lost during its commit, so that nobody knows whether it was made.
   *
   * Does not guarantee: that every announcement is delivered. The server may fall silent before the loss is noticed, and
   * on SQLite those of a command in another process are not delivered. So a listener that remembers rows also reads them
   * again from time to time. Announcements have no history and no numbers. A listener returns at once and does not
   * throw.
   */
  onAnnouncement(listener: (announcement: Announcement) => void): void;
  /**
   * Resolves when a trivial statement was answered. Otherwise rejects with `unavailable`, also after a write that
   * failed for lack of room, until there seems to be room again.
   */
  ping(): Promise<void>;
  /** Figures for the metrics that are in memory. */
  readings(): readonly Reading[];
  /** Figures for the metrics that the engine or the file system has to be asked for. */
  measure(): Promise<readonly Reading[]>;
  /** Finishes the work under way, and releases every thread, file and connection. May be called again. */
  close(): Promise<void>;
}
