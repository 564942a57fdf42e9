import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { assertDocumented, findRoute, mediaTypeOf } from './contract.ts';
import { untilThere } from './until.ts';

/** An answer as a client sees it. `body` is the parsed envelope, or undefined where there is no JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Envelope;
}

/** The envelope, loosely typed: tests look into it the way clients in any language do. */
export interface Envelope {
  readonly code: number;
  readonly message?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service sent.
  readonly data: any;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** True for a path that openapi.json does not describe: the answer is not checked against the document. */
  readonly undocumented?: boolean;
  /** True for a search whose answer may lack changes. Without it the search is asked again until it lacks none. */
  readonly lagging?: boolean;
}

/** On a busy machine the index of words may need longer than a search waits. */
const INDEXED_MS = 30_000;

/**
 * One request. A body that is no string or buffer is sent as JSON. Fails where the answer is not one
 * that openapi.json describes, so that every call of every test checks the contract too.
 */
export async function call(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const end = Date.now() + INDEXED_MS;
  for (;;) {
    const answer = await ask(url, method, path, options);
    if (options.lagging || !answer.headers.has('stoa-index-lag') || Date.now() > end) return answer;
  }
}

async function ask(url: string, method: string, path: string, options: CallOptions): Promise<Answer> {
  const { token, body, headers = {}, undocumented = false } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await send(url + path, method, isRaw ? body : JSON.stringify(body), {
    'user-agent': 'node',
    ...(body === undefined ? {} : { 'content-type': mediaTypeFor(method, path) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  });
  // A stream has no end, and a test that wants more than its head reads it itself.
  const isStream = response.headers['content-type']?.startsWith('text/event-stream');
  if (isStream) response.destroy();
  const json = isStream ? '' : await text(response);
  const answer = {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.entries(response.headersDistinct).flatMap(eachValue)),
    body: json === '' ? undefined : JSON.parse(json),
  };
  if (!undocumented) assertDocumented(method, path, answer);
  return answer;
}

/**
 * An idle connection is closed here, long before the service closes it. On a busy machine a request could go out on one
 * that the service has just closed.
 */
const agent = new Agent({ keepAlive: true, timeout: 20_000 });

/** The answer, whose body is still to be read. `fetch` would take four times as long, and the tests ask very often. */
async function send(
  url: string,
  method: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  // Text would be sent together with the headers, which then are UTF-8 too. A DELETE has no length unless told.
  const bytes = Buffer.from(body ?? '');
  const length = body === undefined ? {} : { 'content-length': bytes.length };
  const sending = request(url, { agent, method, headers: { ...length, ...headers } }).end(bytes);
  const [response] = await once(sending, 'response');
  return response;
}

function eachValue([name, values = []]: [string, string[] | undefined]): [string, string][] {
  return values.map((value) => [name, value]);
}

/** The media type that the document names for this request. */
function mediaTypeFor(method: string, path: string): string {
  return mediaTypeOf(findRoute(method, new URL(path, 'http://stoa.invalid').pathname)?.operation);
}

/** The first answer that is no 503: on a busy machine the database of a real process may answer too late. */
export function answered(ask: () => Promise<Answer>): Promise<Answer> {
  return untilThere(async () => {
    const answer = await ask();
    return answer.status === 503 ? undefined : answer;
  }, 'an answer is no 503');
}

/** A user name that nobody has, not even on a server that other runs have used. */
export function newName(prefix = 'user'): string {
  return prefix + randomBytes(5).toString('hex');
}

export const PASSWORD = 'correct horse battery';

export interface Account {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
}

/** Registers a new user and logs in. */
export async function newAccount(url: string, username = newName()): Promise<Account> {
  const email = `${username}@example.org`;
  const registered = await call(url, 'POST', '/api/auth/register', {
    body: { username, email, password: PASSWORD },
  });
  assert.equal(registered.status, 200, JSON.stringify(registered.body));
  const { token, refreshToken } = await login(url, username);
  return { id: registered.body.data.id, username, email, token, refreshToken };
}

/** Begins another session. */
export async function login(
  url: string,
  username: string,
  password = PASSWORD,
): Promise<Pick<Account, 'token' | 'refreshToken'>> {
  const { status, body } = await call(url, 'POST', '/api/auth/login', { body: { username, password } });
  assert.equal(status, 200, JSON.stringify(body));
  return { token: body.data.token, refreshToken: body.data.refresh_token };
}

/** Presents a refresh token. */
export function refresh(url: string, refreshToken: string): Promise<Answer> {
  return call(url, 'POST', '/api/auth/refresh', { token: refreshToken });
}

/** Creates a content item and returns its record. */
export async function newItem(url: string, token: string, members: object = {}) {
  const { status, body } = await call(url, 'POST', '/api/content', {
    token,
    body: { title: 'A title', content: 'Some content.', ...members },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}
