import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../domain/failure.ts';
import type { HashingJob } from './thread.ts';

/** Jobs that may wait: a second or so of work for two cores. Past it the answer is `busy` at once. */
const QUEUE_LIMIT = 256;

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
      if (thread.isBusy) continue;
      const next = this.#queue.shift();
      if (!next) return;
      thread.run(next);
    }
  }
}

/** One thread, started with its first job and replaced by a new one if it ever breaks. */
class HashingThread {
  #worker: Worker | undefined;
  #current: QueuedJob | undefined;
  readonly #onIdle: () => void;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  run(job: QueuedJob): void {
    this.#current = job;
    this.#worker ??= this.#start();
    this.#worker.postMessage(job.job);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { name: 'hashing' });
    worker.on('message', (result: string | boolean) => this.#finish((job) => job.resolve(result)));
    worker.on('error', (error: Error) => {
      this.#worker = undefined;
      this.#finish((job) => job.reject(error));
    });
    return worker;
  }

  #finish(settle: (job: QueuedJob) => void): void {
    const job = this.#current;
    this.#current = undefined;
    if (job) settle(job);
    this.#onIdle();
  }
}

function queueFull(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many sign-ins are under way; try again in a moment.',
    retryAfter: 1,
  });
}
