import type { MessagePort } from 'node:worker_threads';

/** What the pool and its threads say to each other. */

/**
 * What a thread is started with. It answers on the port and never on `parentPort`, because anybody may
 * send messages of their own there: `node --watch` does.
 */
export interface HashingStart {
  readonly port: MessagePort;
}

export type HashingJob =
  | { readonly kind: 'hash'; readonly password: string }
  | {
      readonly kind: 'verify';
      readonly password: string;
      readonly hash: string;
      /** Verified too, for what it costs alone. */
      readonly beside: string | undefined;
    };

/** Jobs for one thread. It gets the next ones when it has answered these under their number. */
export interface HashingRequest {
  readonly number: number;
  readonly jobs: readonly HashingJob[];
}

/** A hash for each job that hashes, true or false for each that verifies, in their order. */
export interface HashingAnswer {
  readonly number: number;
  readonly results: readonly (string | boolean)[];
}

/** Has the message the number of the request, and for each of its jobs a result of the right kind? */
export function isAnswerTo({ number, jobs }: HashingRequest, message: unknown): message is HashingAnswer {
  if (typeof message !== 'object' || message === null) return false;
  if (!('number' in message && 'results' in message && Array.isArray(message.results))) return false;
  const { results } = message;
  return (
    message.number === number &&
    results.length === jobs.length &&
    jobs.every(({ kind }, index) => typeof results[index] === (kind === 'hash' ? 'string' : 'boolean'))
  );
}
