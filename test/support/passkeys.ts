import assert from 'node:assert/strict';
import { Authenticator, type Mischief } from './authenticator.ts';
import { type Account, type Answer, call } from './client.ts';

export const PASSKEYS = '/api/auth/passkeys';
const LOGIN = '/api/auth/login/passkey';

/** The options for a new passkey of whoever has the token. */
export async function creationOptions(url: string, token: string) {
  const { status, body } = await call(url, 'POST', `${PASSKEYS}/options`, { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** The options for a sign-in by anybody's passkey. */
export async function requestOptions(url: string) {
  const { status, body } = await call(url, 'POST', `${LOGIN}/options`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Sends a new passkey to be kept. */
export function keep(url: string, token: string, response: unknown, name = 'My phone'): Promise<Answer> {
  return call(url, 'POST', PASSKEYS, { token, body: { name, response } });
}

/** Registers a new passkey with the authenticator, as a page does. */
export async function register(
  url: string,
  { token }: Pick<Account, 'token'>,
  authenticator: Authenticator,
  mischief: Mischief = {},
): Promise<Answer> {
  return keep(url, token, authenticator.create(await creationOptions(url, token), mischief));
}

/** An authenticator that has a passkey of the account, and the id of that passkey. */
export async function newPasskey(
  url: string,
  account: Pick<Account, 'token'>,
  authenticator = new Authenticator(),
): Promise<{ readonly authenticator: Authenticator; readonly id: string }> {
  const { status, body } = await register(url, account, authenticator);
  assert.equal(status, 200, JSON.stringify(body));
  return { authenticator, id: body.data.id };
}

/** Sends a use of a passkey. */
export function logInWith(url: string, response: unknown): Promise<Answer> {
  return call(url, 'POST', LOGIN, { body: { response } });
}

/** Signs in with the authenticator, as a page does. */
export async function passkeyLogin(
  url: string,
  authenticator: Authenticator,
  mischief: Mischief = {},
): Promise<Answer> {
  return logInWith(url, authenticator.get(await requestOptions(url), mischief));
}
