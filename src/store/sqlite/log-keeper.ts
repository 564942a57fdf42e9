import type { DatabaseSync } from 'node:sqlite';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { BUSY_TIMEOUT_MS, CHECKPOINT_PAGES } from './connection.ts';
import { logLength } from './log-length.ts';

/** The last quarter of the log is where copying ahead saves the writer most for each page. */
const AHEAD_FROM = CHECKPOINT_PAGES * 0.75;
const STEP_PAGES = 512;
/** A log that has grown to twice its length is ended even if writes have to wait for readers. */
const LONGEST_LOG = 2 * CHECKPOINT_PAGES;
/** Longer than a search takes. */
const READERS_MS = 1_000;

/** What the checkpoint thread is started with. */
export interface CheckpointStart {
  readonly file: string;
  readonly port: MessagePort;
}

/** Each step is answered by whether the thread holds a mark. */
export type CheckpointRequest = 'step' | 'close';

/**
 * Keeps the writer's log short without long stops (decisions 0038). A thread copies the log ahead of the
 * writer; it is started when the log is first long enough, since many installations never get there.
 */
export class LogKeeper {
  readonly #file: string;
  readonly #database: DatabaseSync;
  #thread: MessagePort | undefined;
  #isWaiting = false;
  /** The thread holds a mark, beyond which no checkpoint goes. */
  #hasMark = false;
  /** Pages of the log: now, at the last mark, and where readers were last waited for. */
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
    if (this.#isWaiting) return;
    if (this.#hasMark) this.#step();
    else if (log >= LONGEST_LOG) this.#end(log);
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

  /** If the thread fails, nobody hears the error of it, so the writer ends with the same one. */
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
   * Readers that follow one another without a gap keep every checkpoint from its end. So writes wait for
   * those under way, once for each 64 MB of log.
   */
  #end(log: number): void {
    if (log - this.#endedAt < CHECKPOINT_PAGES) return;
    this.#endedAt = log;
    this.#database.exec(`PRAGMA busy_timeout = ${READERS_MS}`);
    this.#database.exec('PRAGMA wal_checkpoint(RESTART)');
    this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
