import type { MessagePort } from 'node:worker_threads';
import { isOutcome, type Outcome } from './outcome.ts';

/** What a thread works on. `operationsUrl` names the module whose `OPERATIONS` lists them all. */
export interface ThreadData {
  readonly file: string;
  readonly operationsUrl: string;
}

/**
 * What a thread is started with. The thread answers on `port` and never on `parentPort`, because others may send
 * messages there: `node --watch` does (decisions 0027).
 */
export interface ThreadStart extends ThreadData {
  readonly port: MessagePort;
}

/** One run of an operation, which the thread finds by its name. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/**
 * Calls in the order in which they were made. All calls to a thread are numbered; `first` is the number of the
 * first one here.
 */
export interface Calls {
  readonly first: number;
  readonly calls: Call[];
}

export type Request = Calls | 'close';

/** The outcomes of the calls from number `first` on, in the order of the calls. */
export interface Answer {
  readonly first: number;
  readonly outcomes: readonly Outcome[];
}

/** The first message of a thread: the thread has opened the database. */
export const READY = 'ready';

export function isAnswer(message: unknown): message is Answer {
  if (typeof message !== 'object' || message === null) return false;
  if (!('first' in message && 'outcomes' in message && Array.isArray(message.outcomes))) return false;
  return typeof message.first === 'number' && message.outcomes.every(isOutcome);
}
