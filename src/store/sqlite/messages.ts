import type { MessagePort } from 'node:worker_threads';
import { isOutcome, type Outcome } from './outcome.ts';

/** What the store and its threads say to each other. */

/** What a thread works on. `operationsUrl` names the module whose `OPERATIONS` lists them all. */
export interface ThreadData {
  readonly file: string;
  readonly operationsUrl: string;
}

/**
 * What a thread is started with. It answers on the port and never on `parentPort`, because anybody may
 * send messages of their own there: `node --watch` does.
 */
export interface ThreadStart extends ThreadData {
  readonly port: MessagePort;
}

/** The operation goes by its name. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** Calls in the order in which they were made. All calls to a thread are counted; `first` is the number of the first. */
export interface Calls {
  readonly first: number;
  readonly calls: Call[];
}

export type Request = Calls | 'close';

/** What the calls from number `first` on came to, in their order. */
export interface Answer {
  readonly first: number;
  readonly outcomes: readonly Outcome[];
}

/** The thread's first message: it has opened the database. */
export const READY = 'ready';

export function isAnswer(message: unknown): message is Answer {
  if (typeof message !== 'object' || message === null) return false;
  if (!('first' in message && 'outcomes' in message && Array.isArray(message.outcomes))) return false;
  return typeof message.first === 'number' && message.outcomes.every(isOutcome);
}
