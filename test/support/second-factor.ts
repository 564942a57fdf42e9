import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { type Account, type Answer, call, newAccount, PASSWORD } from './client.ts';
import { signIn } from './sign-in.ts';

/** Milliseconds of a time step. */
export const STEP = 30_000;

/** An account that needs a code at each login, with what its owner has noted. */
export interface Guarded extends Account {
  readonly recoveryCodes: readonly string[];
  readonly secret: string;
  /** What the app shows so many steps after the first that nobody used. */
  readonly code: (steps?: number) => string;
}

/** Asks for the secret of an authenticator app. */
export async function beginTotp(url: string, token: string): Promise<string> {
  const { status, body } = await call(url, 'POST', '/api/auth/totp', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.secret;
}

export function confirmTotp(url: string, token: string, code: string): Promise<Answer> {
  return call(url, 'POST', '/api/auth/totp/confirm', { token, body: { code } });
}

/** What an app with this secret shows. `now` is in milliseconds since 1970. */
export function codeOf(secret: string, now: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
}

/**
 * Turns an authenticator app on. `now` is the clock of the service, where it stands still: the present step is the first
 * that nobody used then, and the next one is good too. Without `now` the clock goes on. The first that nobody used is the
 * next step then, so that a slow test is in time for it.
 */
export async function guard(url: string, account: Account, now?: number): Promise<Guarded> {
  const secret = await beginTotp(url, account.token);
  const first = now ?? Date.now() + STEP;
  const { status, body } = await confirmTotp(url, account.token, codeOf(secret, first - STEP));
  assert.equal(status, 200, JSON.stringify(body));
  const code = (steps = 0) => codeOf(secret, first + steps * STEP);
  return { ...account, recoveryCodes: body.data.recovery_codes, secret, code };
}

export async function newGuarded(url: string, now?: number): Promise<Guarded> {
  return guard(url, await newAccount(url), now);
}

/** Sends the right password; returns the challenge. `from` is the address of the client, as a proxy would give it. */
export async function challengeOf(url: string, username: string, from?: string): Promise<string> {
  const { status, body } = await signIn(url, username, PASSWORD, from);
  assert.deepEqual([status, body.data.error], [401, 'second_factor_required'], JSON.stringify(body));
  return body.data.challenge;
}

export function complete(url: string, challenge: string, code: string, from?: string): Promise<Answer> {
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  return call(url, 'POST', '/api/auth/login/second-factor', { body: { challenge, code }, headers });
}

/** Both halves of a login. */
export async function signInWith(
  url: string,
  username: string,
  code: string,
  from?: string,
): Promise<Answer> {
  return complete(url, await challengeOf(url, username, from), code, from);
}
