import { parse } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure, unavailable } from '../../domain/failure.ts';
import type { Call, ThreadData } from './operations.ts';
import { errorOf, type Outcome } from './outcome.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface ThreadOptions {
  /** Bounds the calls that may wait. */
  readonly limit: number;
  /** Called once if the thread ends without having been asked to. */
  readonly onLost: (reason: Error) => void;
}

/**
 * The calling side of a thread that runs operations. Calls made in one turn of the event loop cross
 * in one message; answers come back in the order of the calls.
 */
export class OperationThread {
  readonly #worker: Worker;
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #batch: Call[] = [];
  #lost: Error | undefined;
  readonly #onLost: (reason: Error) => void;
  readonly #closed = Promise.withResolvers<void>();

  private constructor(worker: Worker, name: string, { limit, onLost }: ThreadOptions) {
    this.#worker = worker;
    this.#limit = limit;
    this.#onLost = onLost;
    const ended = () => this.#lose(new Error(`The ${name} ended unexpectedly.`));
    worker.on('message', (message: Outcome[] | 'closed') => {
      if (message !== 'closed') return this.#settle(message);
      worker.off('exit', ended);
      this.#closed.resolve();
    });
    worker.on('error', (error: Error) => this.#lose(error));
    worker.on('exit', ended);
  }

  /** Resolves when the thread has opened the database. */
  static async start(module: URL, data: ThreadData, options: ThreadOptions): Promise<OperationThread> {
    const { name } = parse(module.pathname);
    const worker = new Worker(module, { workerData: data, name });
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error(`The ${name} ended before it was ready.`)));
    });
    return new OperationThread(worker, name, options);
  }

  /** Fails with `unavailable` once the thread has ended. */
  requireAlive(): void {
    if (this.#lost) throw unavailable(this.#lost);
  }

  /** Runs the operation of that name there. Fails at once with `busy` when too many calls wait. */
  call(name: string, input: unknown): Promise<unknown> {
    if (this.#lost) return Promise.reject(unavailable(this.#lost));
    if (this.#waiting.length >= this.#limit) return Promise.reject(busy());
    if (this.#batch.length === 0) setImmediate(() => this.#send());
    this.#batch.push({ name, input });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Finishes the calls under way, closes the database and ends the thread. */
  async close(): Promise<void> {
    this.#send();
    if (!this.#lost) this.#worker.postMessage('close');
    await this.#closed.promise;
    await this.#worker.terminate();
  }

  #send(): void {
    if (this.#batch.length === 0) return;
    this.#worker.postMessage(this.#batch);
    this.#batch = [];
  }

  #settle(outcomes: readonly Outcome[]): void {
    const settled = this.#waiting.splice(0, outcomes.length);
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) settled[index]?.resolve(outcome.value);
      else settled[index]?.reject(errorOf(outcome));
    }
  }

  /** The calls that wait cannot be told from calls that were done and not answered: all of them fail. */
  #lose(error: Error): void {
    if (this.#lost) return;
    this.#lost = error;
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable(error));
    this.#closed.resolve();
    this.#onLost(error);
  }
}

function busy(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many requests of this kind are waiting; try again in a moment.',
    retryAfter: 1,
  });
}
