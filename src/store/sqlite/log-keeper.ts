import type { DatabaseSync } from 'node:sqlite';
import { Thread } from '../../domain/thread.ts';
import { checkpoint } from './checkpoint.ts';
import { BUSY_TIMEOUT_MS, CHECKPOINT_PAGES, logLength } from './connection.ts';
import type { ThreadData } from './operations.ts';

/** Copying ahead begins in the last quarter of the log, where each copied page saves the writer most. */
const AHEAD_FROM = CHECKPOINT_PAGES * 0.75;
/** The log grows by at least this many pages between two marks. */
const STEP_PAGES = 512;
/** With so few pages left to copy, the writer finishes the checkpoint. A log that is too long may have more left. */
const LAST_PAGES = 4 * STEP_PAGES;
const MOST_LAST_PAGES = CHECKPOINT_PAGES / 2;
/** A log of this length is ended, even if writes have to wait for readers. */
const LONGEST_LOG = 2 * CHECKPOINT_PAGES;
/** The longest time that writes then wait: longer than nearly every long read. */
const READERS_MS = 1_000;
/**
 * How long one attempt waits. If another reader takes the same lock meanwhile, SQLite would continue to wait. The next
 * attempt sees that this reader does not matter.
 */
const ATTEMPT_MS = 50;

/**
 * Keeps the writer's log short without long stops (docs/decisions/store.md). A thread copies the log ahead of the
 * writer. It starts when the log is long for the first time, because many installations never get there.
 */
export class LogKeeper {
  readonly #database: DatabaseSync;
  readonly #thread: Thread<null, boolean>;
  /** The thread holds a mark, which no checkpoint passes. */
  #hasMark = false;
  /** Pages of the log: now, when its end was last marked, and when writes last waited for readers. */
  #log = 0;
  #markedAt = 0;
  #endedAt = 0;

  constructor(file: string, database: DatabaseSync) {
    this.#database = database;
    // SQLite would check at each commit, and copy all that a reader has kept from the thread.
    database.exec('PRAGMA wal_autocheckpoint = 0');
    const data: Pick<ThreadData, 'file'> = { file };
    this.#thread = new Thread(new URL('./checkpoint-thread.ts', import.meta.url), {
      data,
      limit: 1,
      accepts: (value) => typeof value === 'boolean',
      // Ends the writer thread too, because nothing would keep its log short.
      onLost: (reason) => {
        throw reason;
      },
      // The thread's descriptor of the database file must outlive the thread.
      workerOptions: { trackUnmanagedFds: false },
    });
  }

  /** Called after each group of writes. */
  tend(): void {
    const { log, checkpointed } = logLength(this.#database);
    if (log < this.#log) this.#markedAt = this.#endedAt = 0;
    this.#log = log;
    if (this.#hasMark && !this.#thread.isBusy) this.#step();
    else if (this.#thread.isBusy) return;
    else if (log >= Math.max(LONGEST_LOG, 2 * this.#endedAt)) this.#end(log);
    else if (log >= CHECKPOINT_PAGES && log - checkpointed <= lastPagesOf(log))
      checkpoint(this.#database, 'PASSIVE');
    else if (log >= AHEAD_FROM && log - this.#markedAt >= STEP_PAGES) {
      this.#markedAt = log;
      this.#step();
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** The thread marks the end of the log, or copies up to its mark. A failed step ends the writer thread. */
  #step(): void {
    void this.#thread.call(null).then((hasMark) => {
      this.#hasMark = hasMark;
    });
    this.#thread.send();
  }

  /**
   * Consecutive readers without a gap keep every checkpoint from its end. So writes wait for the readers under way. They
   * wait again when the log is twice as long: one reader that stays long, such as a backup, must not stop them again and
   * again.
   */
  #end(log: number): void {
    this.#endedAt = log;
    this.#database.exec(`PRAGMA busy_timeout = ${ATTEMPT_MS}`);
    const until = performance.now() + READERS_MS;
    try {
      while (!checkpoint(this.#database, 'RESTART') && performance.now() < until);
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }
}

/** Where commits of megabytes never pause, the thread leaves more than few pages. */
function lastPagesOf(log: number): number {
  return Math.min(Math.max(LAST_PAGES, log - CHECKPOINT_PAGES), MOST_LAST_PAGES);
}
