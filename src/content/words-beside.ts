import { Worker } from 'node:worker_threads';
import type { TextOfItem } from './search-index.ts';

export type Texts = Pick<TextOfItem, 'title' | 'content'>;

interface Waiting {
  readonly count: number;
  readonly resolve: (words: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

let thread: Worker | undefined;
/** The thread answers in the order of the calls. */
let waiting: Waiting[] = [];

/**
 * The words of items, each item's as one text: those of its title, "|", and those of its content. They are made in a
 * thread, because those of one long text take many milliseconds, and on PostgreSQL operations run in the HTTP thread.
 * Fails where the thread does; the next call has a new one.
 */
export function wordsBeside(items: readonly Texts[]): Promise<readonly string[]> {
  thread ??= startThread();
  thread.postMessage(items);
  return new Promise((resolve, reject) => {
    waiting.push({ count: items.length, resolve, reject });
  });
}

function startThread(): Worker {
  const started = new Worker(new URL('./words-thread.ts', import.meta.url), { name: 'words' });
  const lose = (error: Error) => {
    if (thread !== started) return;
    thread = undefined;
    void started.terminate();
    for (const { reject } of waiting) reject(error);
    waiting = [];
  };
  started.on('message', (message: unknown) => {
    const [next] = waiting;
    if (!next || !areWords(message, next.count))
      return lose(new Error('The thread for words sent no answer.'));
    waiting.shift();
    next.resolve(message);
  });
  started.on('error', lose);
  started.on('exit', () => lose(new Error('The thread for words ended unexpectedly.')));
  // It ends with the process, and keeps none alive. Listening to it would.
  started.unref();
  return started;
}

function areWords(message: unknown, count: number): message is string[] {
  return (
    Array.isArray(message) && message.length === count && message.every((each) => typeof each === 'string')
  );
}
