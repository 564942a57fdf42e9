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
}

/** One request. A body that is no string or buffer is sent as JSON. */
export async function call(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { token, body, headers = {} } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

let made = 0;

/** A user name that nobody else in this run has. */
export function newName(prefix = 'user'): string {
  return `${prefix}${process.pid.toString(36)}${(made++).toString(36)}`.slice(-20);
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
  await call(url, 'POST', '/api/auth/register', { body: { username, email, password: PASSWORD } });
  const { body } = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
  return {
    id: body.data.user.id,
    username,
    email,
    token: body.data.token,
    refreshToken: body.data.refresh_token,
  };
}
