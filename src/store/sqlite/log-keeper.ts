import type { DatabaseSync } from 'node:sqlite';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, CHECKPOINT_PAGES } from './connection.ts';
import { logLength } from './log-length.ts';

/** Copying ahead begins in the last quarter of the log, where each copied page saves the writer most. */
const AHEAD_FROM = CHECKPOINT_PAGES * 0.75;
/** The log grows by at least this many pages between two marks. */
const STEP_PAGES = 512;
/** A log of this length is ended, even if writes have to wait for readers. */
const LONGEST_LOG = 2 * CHECKPOINT_PAGES;
/** How long writes then wait at most: longer than nearly every search takes. */
const READERS_MS = 1_000;
/**
 * How long one attempt waits. A reader that follows another takes the same lock, for which SQLite would go on waiting;
 * the next attempt sees that this reader is no longer in the way.
 */
const ATTEMPT_MS = 50;

/** What the checkpoint thread is started with. */
export interface CheckpointStart {
  readonly file: string;
  readonly port: MessagePort;
}

/** The thread answers each step with whether it holds a mark now. */
export type CheckpointRequest = 'step' | 'close';

/**
 * Keeps the writer's log short without long stops (decisions 0038). A thread copies the log ahead of the writer. The
 * thread starts when the log is long enough for the first time, since many installations never get there.
 */
export class LogKeeper {
  readonly #file: string;
  readonly #database: DatabaseSync;
  #thread: MessagePort | undefined;
  #isWaiting = false;
  /** The thread holds a mark, and no checkpoint goes beyond it. */
  #hasMark = false;
  /** Pages of the log: now, when its end was last marked, and when writes last waited for readers. */
  #log = 0;
  #markedAt = 0;
  #endedAt = 0;

  constructor(file: string, database: DatabaseSync) {
    this.#file = file;
    this.#database = database;
  }

  /** Called after each group of writes. */
  tend(): void {
    const { log } = logLength(this.#database);
    if (log < this.#log) this.#markedAt = this.#endedAt = 0;
    this.#log = log;
    if (this.#hasMark && !this.#isWaiting) this.#step();
    else if (log >= LONGEST_LOG) this.#end(log);
    else if (this.#isWaiting) return;
    else if (log >= AHEAD_FROM && log < CHECKPOINT_PAGES && log - this.#markedAt >= STEP_PAGES) {
      this.#markedAt = log;
      this.#step();
    }
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    const closed = new Promise<void>((resolve) => thread.once('close', resolve));
    this.#post('close');
    await closed;
  }

  /** The thread marks the end of the log, or copies up to its mark. */
  #step(): void {
    this.#isWaiting = true;
    this.#post('step');
  }

  #post(request: CheckpointRequest): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(request);
  }

  /** Nobody listens for an error of the thread, so an error there ends the writer thread too. */
  #start(): MessagePort {
    const { port1, port2: port } = new MessageChannel();
    const workerData: CheckpointStart = { file: this.#file, port };
    const module = new URL('./checkpoint-thread.ts', import.meta.url);
    // The thread's descriptor of the database file must outlive it.
    new Worker(module, {
      name: 'checkpoint-thread',
      workerData,
      transferList: [port],
      trackUnmanagedFds: false,
    });
    return port1.on('message', (hasMark: boolean) => {
      this.#hasMark = hasMark;
      this.#isWaiting = false;
    });
  }

  /**
   * Readers that follow one another without a gap keep every checkpoint from its end, and so does a thread that a slow
   * disk holds up. So writes wait for the readers under way and for the thread, once for each 64 MB of log.
   */
  #end(log: number): void {
    if (log - this.#endedAt < CHECKPOINT_PAGES) return;
    this.#endedAt = log;
    this.#database.exec(`PRAGMA busy_timeout = ${ATTEMPT_MS}`);
    const restart = this.#database.prepare('PRAGMA wal_checkpoint(RESTART)');
    const until = performance.now() + READERS_MS;
    while (restart.get()?.busy !== 0 && performance.now() < until);
    this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
