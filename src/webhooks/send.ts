import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { AddressNotAllowed, lookupFor, type Reach } from './target.ts';

/** An endpoint has this long to take a message, from the lookup of its name on. */
export const ATTEMPT_MS = 10_000;
/** Of an answer only the head is read. */
const LONGEST_HEAD = 16_384;

export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of an attempt. `error` is a short word; with an answer there is none. */
export type Outcome =
  | { readonly statusCode: number; readonly retryAfter: string | undefined }
  | { readonly error: string };

/**
 * Sends one message, and resolves with what came of it. Redirects are not followed, the body of the answer is not read,
 * and no connection is used twice.
 */
export function send(
  { url, headers, body }: Outgoing,
  reach: Reach,
  stopping: AbortSignal,
  patienceMs = ATTEMPT_MS,
): Promise<Outcome> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(patienceMs)]);
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ error: signal.aborted ? 'timed_out' : wordFor(error) });
    let request: ClientRequest;
    try {
      const target = new URL(url);
      const by = target.protocol === 'https:' ? overHttps : overHttp;
      request = by(target, {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
        lookup: lookupFor(target, reach),
        maxHeaderSize: LONGEST_HEAD,
        signal,
      });
    } catch (error) {
      return fail(error);
    }
    request.on('error', fail);
    request.on('close', () => fail(new Error('closed without an answer')));
    request.on('response', (answer: IncomingMessage) => {
      const { statusCode = 0, headers: answered } = answer;
      resolve({ statusCode, retryAfter: answered['retry-after'] });
      answer.on('error', () => {});
      request.destroy();
    });
    request.end(body);
  });
}

/** A code of Node.js, such as ECONNREFUSED, and never a text of the endpoint. */
function wordFor(error: unknown): string {
  if (error instanceof AddressNotAllowed) return 'address_not_allowed';
  if (error instanceof AggregateError && error.errors.length > 0) return wordFor(error.errors[0]);
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code.slice(0, 64) : 'no_answer';
}
