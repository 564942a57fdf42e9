import assert from 'node:assert/strict';
import { setRole } from '../../src/accounts/administer.ts';
import type { Role, Scope } from '../../src/domain/account.ts';
import { beginTransfer } from '../../src/services/audit/transfer.ts';
import type { Store } from '../../src/store/store.ts';
import { type Imported, importAccounts } from '../../src/transfer/accounts/import.ts';
import type { PortableAccount } from '../../src/transfer/accounts/portable-account.ts';
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
    body: { name, scope, expires_in_days: 90 },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.token;
}

/** Brings accounts in as one batch of `stoa users import` does. */
export async function importInto(
  store: Store,
  accounts: readonly (Partial<PortableAccount> & { username: string; passwordHash: string })[],
): Promise<Imported[]> {
  const now = Date.now();
  const eventId = await store.write(beginTransfer, { event: 'accounts_imported', at: now });
  const whole = accounts.map((account) => ({
    email: `${account.username}@example.org`,
    role: 'member' as const,
    createdAt: now,
    isDisabled: false,
    ...account,
  }));
  return store.write(importAccounts, { accounts: whole, eventId, before: 0, now });
}
