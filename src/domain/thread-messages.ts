import type { MessagePort } from 'node:worker_threads';
import { isOutcome, type Outcome } from './outcome.ts';

/** The messages between a `Thread` and its module (`answerCalls`). */

/**
 * What a thread is started with. It answers on `port`, and not on `parentPort`, where others may send messages: `node
 * --watch` does (docs/decisions/store.md).
 */
export interface ThreadStart {
  readonly port: MessagePort;
}

/** The first message of a thread: it can answer calls now. */
export const READY = 'ready';

/** Calls in the order in which they were made, or the order to finish them and end. */
export type Request<Input> = { readonly calls: readonly Input[] } | 'close';

/** Calls to a thread are numbered. These are the outcomes from number `first` on, in the order of the calls. */
export interface Answer {
  readonly first: number;
  readonly outcomes: readonly Outcome[];
}

export function isAnswer(message: unknown): message is Answer {
  if (typeof message !== 'object' || message === null) return false;
  if (!('first' in message && 'outcomes' in message && Array.isArray(message.outcomes))) return false;
  return typeof message.first === 'number' && message.outcomes.every(isOutcome);
}
