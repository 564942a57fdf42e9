import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createAccount } from '../../src/accounts/create.ts';
import type { Role } from '../../src/domain/account.ts';
import { type NewLink, newLink } from '../../src/services/links/token.ts';
import { placeOfMailSecret } from '../../src/services/mail/queue.ts';
import { type Account, type Answer, call, newName, PASSWORD } from './client.ts';
import { hashed } from './hashed.ts';
import type { RunningService } from './service.ts';

/** Follows a link of a mail that concerns an address, as its page does. */
export function follow(url: string, what: 'verify' | 'confirm' | 'revert', token: string): Promise<Answer> {
  return call(url, 'POST', `/api/auth/email/${what}`, { body: { token } });
}

interface Registration {
  readonly username?: string;
  readonly email?: string;
  readonly password?: string;
}

/** Registers somebody new. `from` is the address of the client, as a proxy would give it. */
export async function registerAs(url: string, given: Registration = {}, from?: string) {
  const username = given.username ?? newName();
  const body = { username, email: `${username}@example.org`, password: PASSWORD, ...given };
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  return { ...body, answer: await call(url, 'POST', '/api/auth/register', { body, headers }) };
}

/** An account that was made without a registration, and whose address nobody proved. Its password is PASSWORD. */
export async function newUnproven(
  { store }: Pick<RunningService, 'store'>,
  role: Role = 'member',
): Promise<Pick<Account, 'id' | 'username' | 'email'>> {
  const username = newName();
  const account = { username, email: `${username}@example.org`, role };
  const rest = { passwordHash: hashed(PASSWORD), now: Date.now(), origin: null };
  const { id } = await store.write(createAccount, { ...account, ...rest });
  return { id, username, email: account.email };
}

/** A link that is in no mail, and its token. */
export function newTestLink({ sealing }: Pick<RunningService, 'sealing'>): { token: string; link: NewLink } {
  const link = newLink(sealing, 'verify_email');
  return { token: sealing.unseal(placeOfMailSecret(link.secret.id), link.secret.sealed), link };
}

/** Asks for another address, and returns when the mail is on its way. */
export async function askToChange(url: string, token: string, email: string): Promise<void> {
  // Few mails are sent on behalf of one source.
  const headers = { 'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}::2` };
  const { status, body } = await call(url, 'POST', '/api/auth/email', { token, body: { email }, headers });
  assert.equal(status, 200, JSON.stringify(body));
}

/** What the account shows of its address. */
export async function addressOf(url: string, token: string): Promise<[email: string, isVerified: boolean]> {
  const { body } = await call(url, 'GET', '/api/users/me', { token });
  return [body.data.email, body.data.email_verified ?? false];
}
