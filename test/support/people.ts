import assert from 'node:assert/strict';
import type { Role, Scope } from '../../src/domain/account.ts';
import { setRole } from '../../src/users/administer.ts';
import { type Account, call, newAccount } from './client.ts';
import type { RunningService } from './service.ts';

/** Registers a new user, logs in, and gives the role as `stoa admin role` does. */
export async function newWithRole({ url, store }: RunningService, role: Role): Promise<Account> {
  const account = await newAccount(url);
  await store.write(setRole, { account: account.username, role, now: Date.now() });
  return account;
}

/** A personal access token of the account, good for 90 days. */
export async function newPersonalToken(
  url: string,
  { token }: Pick<Account, 'token'>,
  scope: Scope = 'write',
  name = 'a program',
): Promise<string> {
  const { status, body } = await call(url, 'POST', '/api/auth/tokens', {
    token,
    body: { name, scope, expires_in: 90 },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.token;
}
