import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { TextOfItem } from './search-index.ts';

export type Texts = Pick<TextOfItem, 'title' | 'content'>;

/** What the thread is started with, and what it is asked and answers there (decisions 0027). */
export interface WordsStart {
  readonly port: MessagePort;
}

export interface WordsRequest {
  readonly number: number;
  readonly items: readonly Texts[];
}

export interface WordsAnswer {
  readonly number: number;
  /** Of each item one text, in the order of the request. */
  readonly words: readonly string[];
}

interface Waiting {
  readonly number: number;
  readonly count: number;
  readonly resolve: (words: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

let thread: WordsThread | undefined;

/**
 * The words of items, each item's as one text: those of its title, "|", and those of its content. They are made in a
 * thread, because those of one long text take many milliseconds, and on PostgreSQL operations run in the HTTP thread.
 * Fails where the thread does; the next call has a new one.
 */
export function wordsBeside(items: readonly Texts[]): Promise<readonly string[]> {
  if (!thread || thread.isLost) thread = new WordsThread();
  return thread.ask(items);
}

class WordsThread {
  isLost = false;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** Whoever has waited longest comes first, and is answered first. */
  #waiting: Waiting[] = [];
  #last = 0;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const workerData: WordsStart = { port: port2 };
    const module = new URL('./words-thread.ts', import.meta.url);
    this.#worker = new Worker(module, { name: 'words', workerData, transferList: [port2] });
    this.#port = port1;
    this.#port.on('message', (message: unknown) => this.#settle(message));
    this.#worker.on('error', (error: Error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('The thread for words ended unexpectedly.')));
    // It ends with the process, and keeps none alive.
    this.#port.unref();
    this.#worker.unref();
  }

  ask(items: readonly Texts[]): Promise<readonly string[]> {
    const request: WordsRequest = { number: ++this.#last, items };
    this.#port.postMessage(request);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ number: request.number, count: items.length, resolve, reject });
    });
  }

  #settle(message: unknown): void {
    const [next] = this.#waiting;
    if (!next || !isAnswerTo(next, message)) {
      this.#lose(new Error('The thread for words sent what is no answer.'));
      return;
    }
    this.#waiting.shift();
    next.resolve(message.words);
  }

  #lose(error: Error): void {
    this.isLost = true;
    this.#port.close();
    void this.#worker.terminate();
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting = [];
  }
}

function isAnswerTo({ number, count }: Waiting, message: unknown): message is WordsAnswer {
  if (typeof message !== 'object' || message === null) return false;
  if (!('number' in message && 'words' in message && Array.isArray(message.words))) return false;
  const { words } = message;
  return (
    message.number === number && words.length === count && words.every((each) => typeof each === 'string')
  );
}
