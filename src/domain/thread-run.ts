import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
  type WorkerOptions,
} from 'node:worker_threads';
import { READY, type Request, type ThreadStart } from './thread-messages.ts';

export interface WorkerSetup {
  /** What the module finds in its `workerData`. */
  readonly data?: object;
  /** False for a thread that does not keep the process alive. */
  readonly keepsAlive?: boolean;
  readonly workerOptions?: WorkerOptions;
}

interface Listeners {
  /** Called with each message after the first, which says that the thread is ready. */
  readonly onMessage: (message: unknown) => void;
  /** Called when the thread has ended, and when its first message is another one. */
  readonly onEnd: (reason: Error, hasFailed: boolean) => void;
}

/** One worker of a `Thread`, from its start to its end. */
export class ThreadRun {
  /** Resolves when the worker has ended, however it ended. */
  readonly ended: Promise<void>;
  readonly #name: string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #listeners: Listeners;
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #fault: Error | undefined;

  /** Throws where the system can make no thread now. */
  constructor(module: URL, name: string, setup: WorkerSetup, listeners: Listeners) {
    const channel = new MessageChannel();
    this.#name = name;
    this.#listeners = listeners;
    this.#worker = newWorker(module, name, setup, channel);
    this.#port = channel.port1;
    this.ended = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
    // Most callers do not wait for the start: their calls fail with its reason.
    this.#ready.promise.catch(() => {});
    this.#port.on('message', (message: unknown) => this.#receive(message));
    this.#worker.on('error', (error: Error) => {
      this.#fault = error;
    });
    this.#worker.on('exit', () => this.#end());
    if (setup.keepsAlive === false) {
      this.#port.unref();
      this.#worker.unref();
    }
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when the thread can answer. Fails with the reason if the thread cannot start. */
  get started(): Promise<void> {
    return this.#ready.promise;
  }

  send(request: Request<unknown>): void {
    this.#port.postMessage(request);
  }

  /** Milliseconds of a processor that the thread has used. */
  async processorTime(): Promise<number> {
    const used = await this.#worker.cpuUsage().catch(() => undefined);
    return used ? (used.user + used.system) / 1_000 : 0;
  }

  /** Ends the thread at once, also during a call. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  /** The same, and nothing that the thread still sends is read. Whoever waits for its start gets the reason. */
  abandon(reason: Error): void {
    this.#port.close();
    void this.terminate();
    this.#ready.reject(reason);
  }

  #receive(message: unknown): void {
    if (this.#isReady) this.#listeners.onMessage(message);
    else if (message === READY) {
      this.#isReady = true;
      this.#ready.resolve();
    } else this.#listeners.onEnd(new Error(`The ${this.#name} sent something before it was ready.`), true);
  }

  /** Reads answers that the thread sent before it ended and that still wait at the port. */
  #end(): void {
    for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
      this.#receive(next.message);
    }
    const end = this.#isReady ? 'unexpectedly' : 'before it was ready';
    const reason = this.#fault ?? new Error(`The ${this.#name} ended ${end}.`);
    this.#listeners.onEnd(reason, this.#fault !== undefined);
  }
}

function newWorker(
  module: URL,
  name: string,
  { data, workerOptions }: WorkerSetup,
  { port1, port2 }: MessageChannel,
): Worker {
  const workerData: ThreadStart = { ...data, port: port2 };
  try {
    return new Worker(module, { ...workerOptions, name, workerData, transferList: [port2] });
  } catch (error) {
    // Otherwise each try would leave a channel in memory.
    port1.close();
    throw error;
  }
}
