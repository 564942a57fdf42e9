import { Worker } from 'node:worker_threads';
import { Failure, unavailable } from '../../domain/failure.ts';
import type { Call, ThreadData } from './operations.ts';
import { errorOf, type Outcome } from './outcome.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
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
  readonly #closed = Promise.withResolvers<void>();

  private constructor(worker: Worker, limit: number) {
    this.#worker = worker;
    this.#limit = limit;
    worker.on('message', (message: Outcome[] | 'closed') => {
      if (message === 'closed') this.#closed.resolve();
      else this.#settle(message);
    });
    worker.on('error', (error: Error) => this.#lose(error));
    worker.on('exit', () => this.#lose(new Error('The thread ended.')));
  }

  /** Resolves when the thread has opened the database; `limit` bounds the calls that may wait. */
  static async start(module: URL, data: ThreadData, limit: number): Promise<OperationThread> {
    const worker = new Worker(module, { workerData: data, name: module.pathname.split('/').at(-1) ?? '' });
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    return new OperationThread(worker, limit);
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

  #lose(error: Error): void {
    this.#lost ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable(error));
    this.#closed.resolve();
  }
}

function busy(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many requests of this kind are waiting; try again in a moment.',
    retryAfter: 1,
  });
}
