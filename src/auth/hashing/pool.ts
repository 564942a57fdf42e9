import { availableParallelism } from 'node:os';
import { Failure } from '../../domain/failure.ts';
import type { HashingJob } from './messages.ts';
import { isOutdated, NOBODYS_HASH } from './parameters.ts';
import { type Asker, HashingQueue } from './queue.ts';
import { HashingWorker } from './worker.ts';

/** Commands, which nobody sends over the network. */
const OPERATOR: Asker = { source: 'operator', isKnown: true };
/**
 * Jobs that a thread is given at once where many wait: what surrounds a login (messages, a session, a
 * commit) then costs a third, because it is done for several while it is in the processor's caches.
 */
const SHARE_LIMIT = 4;

/**
 * Hashes and verifies passwords beside the HTTP thread, one thread per core, behind a bounded queue that
 * is shared out by source.
 * A thread starts when all others are busy. One that breaks fails the jobs it has, and a new one takes its place.
 */
export class HashingPool {
  readonly #size: number;
  readonly #module: URL;
  #workers: readonly HashingWorker[] = [];
  readonly #queue = new HashingQueue();
  #isClosed = false;

  constructor(size: number = availableParallelism(), module: URL = new URL('./thread.ts', import.meta.url)) {
    this.#size = size;
    this.#module = module;
  }

  /** A PHC string with a salt of its own. Fails with `busy` when the queue has no room for this source. */
  async hash(password: string, asker = OPERATOR): Promise<string> {
    return String(await this.#run({ kind: 'hash', password }, asker));
  }

  /**
   * Does the password belong to the hash? A hash with other parameters than today's costs one of today's beside its
   * own, whatever the password. So a cheap one is never answered sooner than a name that nobody has. Fails with `busy`
   * when the queue has no room for this source.
   */
  async verify(hash: string, password: string, asker = OPERATOR): Promise<boolean> {
    const beside = isOutdated(hash) ? NOBODYS_HASH : undefined;
    return (await this.#run({ kind: 'verify', hash, password, beside }, asker)) === true;
  }

  /** Fails what waits, and ends the threads in the middle of what they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#queue.take(this.#queue.length)) reject(closed());
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  #run(job: HashingJob, asker: Asker): Promise<string | boolean> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#queue.add({ job, resolve, reject }, asker)?.reject(queueFull());
      this.#assign();
    });
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idleWorker();
      if (!worker) return;
      worker.run(this.#queue.take(this.#share()));
    }
  }

  #idleWorker(): HashingWorker | undefined {
    const idle = this.#workers.find(({ isBusy }) => !isBusy);
    if (idle || this.#workers.length >= this.#size) return idle;
    const started = new HashingWorker(this.#module, {
      onIdle: () => this.#assign(),
      onLost: () => {
        this.#workers = this.#workers.filter((worker) => worker !== started);
        this.#assign();
      },
    });
    this.#workers = [...this.#workers, started];
    return started;
  }

  /**
   * A job at a time until every thread has another one waiting. Also while a dear one waits, so that no other shares
   * the time of that one.
   */
  #share(): number {
    if (this.#queue.hasDear) return 1;
    const share = Math.floor(this.#queue.length / this.#size);
    return Math.max(1, Math.min(share, SHARE_LIMIT));
  }
}

function queueFull(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many sign-ins are under way; try again in a moment.',
    retryAfter: 1,
  });
}

function closed(): Error {
  return new Error('The hashing threads have ended with the service.');
}
