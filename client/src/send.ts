import { operations } from './operations.gen.ts';
import { type AnyResult, noAnswer, notSent, type OperationName, resultOf } from './result.ts';
import { pause } from './waiting.ts';

/** What one call sends, whatever its operation. */
export interface AnyInput {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Requests that are sent again, at most. */
const REPEATS = 2;
const FIRST_PAUSE_MS = 200;
/** A longer wait is for the caller to decide (`retryAfter`). */
const LONGEST_WAIT_SECONDS = 5;
/**
 * A network that lost a connection may never say so. Most answers begin within a second. Only a large write, which may
 * wait longer for its turn, and a text that takes long as HTML can take more than this.
 */
const ANSWER_MS = 30_000;
/** Bytes of a body that a slow line takes in a second. The service waits for one as long. */
const SLOWEST_BODY = 16 * 1024;
const MAY_PASS = new Set([0, 409, 429, 502, 503, 504]);

/** True for an operation that the service makes once for each Idempotency-Key. Others ignore the header. */
function isKeyed(name: OperationName): boolean {
  return operations[name].endsWith(' keyed');
}

/** True for an operation that takes no token. */
export function isOpen(name: OperationName): boolean {
  return operations[name].endsWith(' open');
}

/** True for a call with a token of its own. With headers that are none it is too: `send` says what is wrong. */
export function hasToken({ headers }: AnyInput): boolean {
  try {
    return new Headers(headers).has('authorization');
  } catch {
    return true;
  }
}

/** True for an operation that changes nothing. */
export function isRead(name: OperationName): boolean {
  return operations[name].startsWith('GET ');
}

/** The method of a call and its path, with its query, below the address of the service. */
export function requestOf(
  name: OperationName,
  input: Pick<AnyInput, 'path' | 'query'> = {},
): { readonly method: string; readonly path: string } {
  const [method = '', template = ''] = operations[name].split(' ');
  return { method, path: pathOf(template, input.path) + queryOf(input.query) };
}

/**
 * Sends one request. A GET, and one with an Idempotency-Key that the service looks at, is repeated where no answer came
 * or the service is busy; any other request might be made twice.
 */
export async function send(
  base: string,
  name: OperationName,
  input: AnyInput,
  token: string | undefined,
  credentials: RequestCredentials,
): Promise<AnyResult> {
  const { signal, idempotencyKey } = input;
  let request: Sendable;
  try {
    request = sendable(name, input, token);
  } catch (cause) {
    return notSent(cause);
  }
  const patience = ANSWER_MS + Math.floor(new Blob([request.body ?? '']).size / SLOWEST_BODY) * 1000;
  const isRepeatable = isRead(name) || (idempotencyKey !== undefined && isKeyed(name));
  for (let repeat = 0; ; repeat++) {
    const late = new AbortController();
    const stop = () => late.abort(signal?.reason);
    const timer = setTimeout(
      () => late.abort(new Error(`No answer began within ${patience / 1000} s.`)),
      patience,
    );
    // AbortSignal.any does this, and is newer than Node.js 20.0 and Safari 17.0.
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    const result = await fetch(base + request.path, { ...request, credentials, signal: late.signal })
      // What an answer brings may take longer, such as an export.
      .finally(() => clearTimeout(timer))
      .then(resultOf)
      .catch((cause: unknown) => noAnswer(signal, cause));
    // The caller reads a stream after this call, and may abort it then.
    if (name !== 'listenToEvents') signal?.removeEventListener('abort', stop);
    const { retryAfter = 0 } = result.ok ? {} : result;
    const isWorthIt = isRepeatable && MAY_PASS.has(result.status) && retryAfter <= LONGEST_WAIT_SECONDS;
    if (result.ok || !isWorthIt || repeat === REPEATS || signal?.aborted) return result;
    const wait = Math.max(retryAfter * 1000, FIRST_PAUSE_MS * 4 ** repeat * (0.5 + Math.random()));
    await pause(wait, signal).catch(() => {});
    if (signal?.aborted) return noAnswer(signal, signal.reason);
  }
}

interface Sendable {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string;
}

/** Throws where a header, the body or the path has what no request can have. */
function sendable(name: OperationName, input: AnyInput, token: string | undefined): Sendable {
  const { method, path } = requestOf(name, input);
  const { idempotencyKey, body } = input;
  const headers = new Headers(input.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', `"${idempotencyKey}"`);
  if (body !== undefined)
    headers.set('content-type', `application/${method === 'PATCH' ? 'merge-patch+' : ''}json`);
  return { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

function pathOf(template: string, values: object | undefined): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(Object(values)[key]));
}

function queryOf(query: object = {}): string {
  // A list is a parameter that is repeated.
  const given = Object.entries(query).flatMap(([key, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [[key, String(each)]])),
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
