import { parse } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { Failure, unavailable } from '../../domain/failure.ts';
import { type Call, type Calls, isAnswer, READY, type ThreadData, type ThreadStart } from './messages.ts';
import { errorOf } from './outcome.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface ThreadOptions {
  /** How many calls may wait for their answers at most. */
  readonly limit: number;
  /** Called once if the thread ends without being asked to, or sends anything but an answer. */
  readonly onLost: (reason: Error) => void;
}

/**
 * The calling side of a thread that runs operations. Calls of one turn of the event loop go to the thread in one
 * message. The answers come back in the order of the calls.
 */
export class OperationThread {
  readonly #name: string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #limit: number;
  readonly #onLost: (reason: Error) => void;
  readonly #waiting: Waiting[] = [];
  /** The number of the call that has waited longest. The next answer begins with it. */
  #first = 1;
  #unsent: Call[] = [];
  #fault: Error | undefined;
  #lost: Error | undefined;
  #isClosing = false;
  readonly #ended = Promise.withResolvers<void>();

  private constructor(name: string, worker: Worker, port: MessagePort, { limit, onLost }: ThreadOptions) {
    this.#name = name;
    this.#worker = worker;
    this.#port = port;
    this.#limit = limit;
    this.#onLost = onLost;
    port.on('message', (message: unknown) => this.#settle(message));
    worker.on('error', (error: Error) => {
      this.#fault = error;
    });
    worker.on('exit', () => this.#end());
  }

  /** Resolves when the thread has opened the database. Fails where it cannot. */
  static async start(module: URL, data: ThreadData, options: ThreadOptions): Promise<OperationThread> {
    const { name } = parse(module.pathname);
    const { port1: port, port2 } = new MessageChannel();
    const workerData: ThreadStart = { ...data, port: port2 };
    const worker = new Worker(module, { name, workerData, transferList: [port2] });
    await new Promise<void>((resolve, reject) => {
      port.once('message', (message: unknown) => {
        if (message === READY) return resolve();
        void worker.terminate();
        reject(new Error(`The ${name} sent something before it was ready.`));
      });
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error(`The ${name} ended before it was ready.`)));
    });
    return new OperationThread(name, worker, port, options);
  }

  /** Fails with `unavailable` once the thread has ended. */
  requireAlive(): void {
    if (this.#lost) throw unavailable(this.#lost);
  }

  /** Runs the operation of that name in the thread. Fails at once with `busy` when too many calls wait. */
  call(name: string, input: unknown): Promise<unknown> {
    if (this.#lost) return Promise.reject(unavailable(this.#lost));
    if (this.#waiting.length >= this.#limit) return Promise.reject(busy());
    if (this.#unsent.length === 0) setImmediate(() => this.#send());
    this.#unsent.push({ name, input });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Finishes the calls under way, closes the database and ends the thread. */
  async close(): Promise<void> {
    this.#send();
    this.#isClosing = true;
    this.#port.postMessage('close');
    await this.#ended.promise;
  }

  #send(): void {
    if (this.#unsent.length === 0) return;
    const first = this.#first + this.#waiting.length - this.#unsent.length;
    const calls: Calls = { first, calls: this.#unsent };
    this.#port.postMessage(calls);
    this.#unsent = [];
  }

  #settle(message: unknown): void {
    const isNext = isAnswer(message) && message.first === this.#first;
    if (!isNext || message.outcomes.length > this.#waiting.length) {
      this.#lose(new Error(`The ${this.#name} sent what is no answer to the calls that wait.`));
      return;
    }
    const { outcomes } = message;
    const settled = this.#waiting.splice(0, outcomes.length);
    this.#first += outcomes.length;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) settled[index]?.resolve(outcome.value);
      else settled[index]?.reject(errorOf(outcome));
    }
  }

  /** Reads what the thread answered before it ended, which may still wait at the port. */
  #end(): void {
    this.#ended.resolve();
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
      this.#settle(next.message);
    }
    const isDone = this.#isClosing && this.#waiting.length === 0;
    if (this.#fault || !isDone) this.#lose(this.#fault ?? new Error(`The ${this.#name} ended unexpectedly.`));
  }

  /** Fails all calls that wait: nobody can know which of them were done and not answered. */
  #lose(error: Error): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#port.close();
    void this.#worker.terminate();
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable(error));
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
