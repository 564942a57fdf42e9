import { parse } from 'node:path';
import { busy } from './failure.ts';
import { errorOf } from './outcome.ts';
import { type Answer, isAnswer, type Request } from './thread-messages.ts';
import { ThreadRun, type WorkerSetup } from './thread-run.ts';

export interface ThreadOptions<Input> extends WorkerSetup {
  /** The most calls that may wait for their answers. */
  readonly limit: number;
  /** Is the value an output for this input? A thread that sends another value is ended. */
  readonly accepts?: (value: unknown, input: Input) => boolean;
  /** The error of the calls of a lost thread. Without this, they fail with the reason itself. */
  readonly failure?: (reason: Error) => Error;
  /** Called when a thread that was ready ended unexpectedly, or was ended because of what it sent. */
  readonly onLost?: (reason: Error) => void;
}

interface Waiting<Input, Output> {
  readonly input: Input;
  resolve(value: Output): void;
  reject(error: Error): void;
}

/** What was called so far, and what waits for its answer. */
export interface ThreadFigures {
  readonly waiting: number;
  readonly refused: number;
  readonly answered: number;
  /** Messages that the answers came in. */
  readonly batches: number;
}

/**
 * The calling side of a thread whose module calls `answerCalls`. The thread starts with its first call. When the thread
 * is lost, the waiting calls fail, because nobody can know which of them were done. The next call starts another
 * thread. Calls of one turn of the event loop are sent in one message. The answers arrive in the order of the calls.
 */
export class Thread<Input, Output> {
  readonly #module: URL;
  readonly #name: string;
  readonly #options: ThreadOptions<Input>;
  #run: ThreadRun | undefined;
  #ended = Promise.resolve();
  #waiting: Waiting<Input, Output>[] = [];
  /** The number of the call that has waited longest. The next answer begins with this number. */
  #first = 1;
  #unsent: Input[] = [];
  /** When the thread last answered, or the first of the calls that wait was made, by `performance.now()`. */
  #quietSince = 0;
  #isClosed = false;
  #refused = 0;
  #answered = 0;
  #batches = 0;

  constructor(module: URL, options: ThreadOptions<Input>) {
    this.#module = module;
    this.#name = parse(module.pathname).name;
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  get figures(): ThreadFigures {
    const [refused, answered, batches] = [this.#refused, this.#answered, this.#batches];
    return { waiting: this.#waiting.length, refused, answered, batches };
  }

  /** Milliseconds without an answer to the calls that wait. 0 where none waits. */
  get silence(): number {
    return this.isBusy ? performance.now() - this.#quietSince : 0;
  }

  /** Milliseconds of a processor that the thread has used, which on a busy machine are few. 0 where no thread runs. */
  async processorTime(): Promise<number> {
    return (await this.#run?.processorTime()) ?? 0;
  }

  /** Resolves when the thread can answer. Fails with the reason if the thread cannot start. */
  async start(): Promise<void> {
    this.#run ??= this.#begin();
    return this.#run.started;
  }

  /** Fails at once with `busy` when too many calls wait. */
  call(input: Input): Promise<Output> {
    if (this.#isClosed) return Promise.reject(new Error(`The ${this.#name} is closed.`));
    if (this.#waiting.length >= this.#options.limit) {
      this.#refused++;
      return Promise.reject(busy('Too many requests of this kind are waiting; try again in a moment.'));
    }
    try {
      this.#run ??= this.#begin();
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#unsent.length === 0) setImmediate(() => this.send());
    this.#unsent.push(input);
    if (!this.isBusy) this.#quietSince = performance.now();
    return new Promise((resolve, reject) => this.#waiting.push({ input, resolve, reject }));
  }

  /** Sends the calls of this turn of the event loop now instead of at its end. */
  send(): void {
    if (this.#unsent.length > 0) this.#post({ calls: this.#unsent });
    this.#unsent = [];
  }

  /** Resolves when the calls under way are done and the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.send();
    this.#post('close');
    await this.#ended;
  }

  /** Ends the thread at once, also during a call. */
  async terminate(): Promise<void> {
    this.#isClosed = true;
    await this.#run?.terminate();
  }

  #post(request: Request<Input>): void {
    this.#run?.send(request);
  }

  /** Throws where the system can make no thread now. The next call tries again. */
  #begin(): ThreadRun {
    const run = new ThreadRun(this.#module, this.#name, this.#options, {
      onMessage: (message) => this.#settle(run, message),
      onEnd: (reason, hasFailed) => {
        const isDone = this.#isClosed && !this.isBusy;
        if (hasFailed || !isDone) this.#lose(run, reason);
      },
    });
    this.#first = 1;
    this.#ended = run.ended;
    return run;
  }

  #settle(run: ThreadRun, message: unknown): void {
    if (!this.#isExpected(message)) {
      this.#lose(run, new Error(`The ${this.#name} sent what is no answer to the calls that wait.`));
      return;
    }
    const { outcomes } = message;
    const settled = this.#waiting.splice(0, outcomes.length);
    this.#first += outcomes.length;
    this.#quietSince = performance.now();
    this.#answered += outcomes.length;
    this.#batches++;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) settled[index]?.resolve(outcome.value as Output);
      else settled[index]?.reject(errorOf(outcome));
    }
  }

  /** Does the message answer the calls that have waited longest? */
  #isExpected(message: unknown): message is Answer {
    if (!isAnswer(message) || message.first !== this.#first) return false;
    const { accepts = () => true } = this.#options;
    return message.outcomes.every((outcome, index) => {
      const call = this.#waiting[index];
      return call !== undefined && (!outcome.ok || accepts(outcome.value, call.input));
    });
  }

  #lose(run: ThreadRun, reason: Error): void {
    if (this.#run !== run) return;
    const { failure = () => reason, onLost = () => {} } = this.#options;
    const lost = this.#waiting;
    [this.#run, this.#waiting, this.#unsent] = [undefined, [], []];
    run.abandon(reason);
    for (const { reject } of lost) reject(run.isReady ? failure(reason) : reason);
    if (run.isReady) onLost(reason);
  }
}
