import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type HashingJob, type HashingRequest, type HashingStart, isAnswerTo } from './messages.ts';

export interface QueuedJob {
  readonly job: HashingJob;
  resolve(result: string | boolean): void;
  reject(error: Error): void;
}

export interface WorkerEvents {
  /** It has done its jobs and takes more. */
  readonly onIdle: () => void;
  /** It has ended, or has been ended because it sent anything but an answer. May be called more than once. */
  readonly onLost: () => void;
}

/** The calling side of one hashing thread. Once it is lost it takes no more jobs. */
export class HashingWorker {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #events: WorkerEvents;
  #jobs: readonly QueuedJob[] = [];
  #request: HashingRequest = { number: 0, jobs: [] };

  constructor(module: URL, events: WorkerEvents) {
    const { port1, port2 } = new MessageChannel();
    const workerData: HashingStart = { port: port2 };
    this.#worker = new Worker(module, { name: 'hashing', workerData, transferList: [port2] });
    this.#port = port1;
    this.#events = events;
    this.#port.on('message', (message: unknown) => this.#settle(message));
    this.#worker.on('error', (error: Error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('A hashing thread ended unexpectedly.')));
  }

  get isBusy(): boolean {
    return this.#jobs.length > 0;
  }

  run(jobs: readonly QueuedJob[]): void {
    this.#jobs = jobs;
    this.#request = { number: this.#request.number + 1, jobs: jobs.map(({ job }) => job) };
    this.#port.postMessage(this.#request);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(message: unknown): void {
    if (!this.isBusy || !isAnswerTo(this.#request, message)) {
      this.#lose(new Error('A hashing thread sent what is no answer to its jobs.'));
      return;
    }
    const jobs = this.#jobs;
    this.#jobs = [];
    // The next jobs first, so that the thread does not wait for what becomes of these.
    this.#events.onIdle();
    for (const [index, result] of message.results.entries()) jobs[index]?.resolve(result);
  }

  #lose(error: Error): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    this.#port.close();
    void this.#worker.terminate();
    this.#events.onLost();
    for (const { reject } of jobs) reject(error);
  }
}
