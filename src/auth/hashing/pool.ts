import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../domain/failure.ts';
import type { HashingJob } from './thread.ts';

/** Jobs that may wait: a second or so of work for two cores. Past it the answer is `busy` at once. */
const QUEUE_LIMIT = 256;
/**
 * Jobs that a thread is given at once where many wait: what surrounds a login (messages, a session, a
 * commit) then costs a third, because it is done for several while it is in the processor's caches.
 */
const SHARE_LIMIT = 4;

interface QueuedJob {
  readonly job: HashingJob;
  resolve(result: string | boolean): void;
  reject(error: Error): void;
}

/** Hashes and verifies passwords beside the HTTP thread, one thread per core, behind a bounded queue. */
export class HashingPool {
  readonly #threads: HashingThread[];
  readonly #queue: QueuedJob[] = [];

  constructor(threads: number = availableParallelism()) {
    this.#threads = Array.from({ length: threads }, () => new HashingThread(() => this.#assign()));
  }

  /** A PHC string with a salt of its own. Fails with `busy` when the queue is full. */
  async hash(password: string): Promise<string> {
    return String(await this.#run({ kind: 'hash', password }));
  }

  /** Does the password belong to the hash? Fails with `busy` when the queue is full. */
  async verify(hash: string, password: string): Promise<boolean> {
    return (await this.#run({ kind: 'verify', hash, password })) === true;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #run(job: HashingJob): Promise<string | boolean> {
    if (this.#queue.length >= QUEUE_LIMIT) return Promise.reject(queueFull());
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#assign();
    });
  }

  #assign(): void {
    for (const thread of this.#threads) {
      if (this.#queue.length === 0) return;
      if (!thread.isBusy) thread.run(this.#queue.splice(0, this.#share()));
    }
  }

  /** A job at a time until every thread has another one waiting. */
  #share(): number {
    const share = Math.floor(this.#queue.length / this.#threads.length);
    return Math.max(1, Math.min(share, SHARE_LIMIT));
  }
}

/** One thread, started with its first job and replaced by a new one if it ever breaks. */
class HashingThread {
  #worker: Worker | undefined;
  #current: readonly QueuedJob[] = [];
  readonly #onIdle: () => void;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  get isBusy(): boolean {
    return this.#current.length > 0;
  }

  run(jobs: readonly QueuedJob[]): void {
    this.#current = jobs;
    this.#worker ??= this.#start();
    this.#worker.postMessage(jobs.map(({ job }) => job));
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { name: 'hashing' });
    worker.on('message', (results: readonly (string | boolean)[]) => {
      this.#finish((job, index) => job.resolve(results[index] ?? false));
    });
    worker.on('error', (error: Error) => {
      this.#worker = undefined;
      this.#finish((job) => job.reject(error));
    });
    return worker;
  }

  #finish(settle: (job: QueuedJob, index: number) => void): void {
    const jobs = this.#current;
    this.#current = [];
    // The next jobs first, so that the thread does not wait for what becomes of these.
    this.#onIdle();
    jobs.forEach(settle);
  }
}

function queueFull(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many sign-ins are under way; try again in a moment.',
    retryAfter: 1,
  });
}
