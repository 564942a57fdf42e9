import type { Role } from '../../src/domain/account.ts';
import { setRole } from '../../src/users/administer.ts';
import { type Account, newAccount } from './client.ts';
import type { RunningService } from './service.ts';

/** Registers a new user, logs in, and gives the role as `stoa admin role` does. */
export async function newWithRole({ url, store }: RunningService, role: Role): Promise<Account> {
  const account = await newAccount(url);
  await store.write(setRole, { account: account.username, role, now: Date.now() });
  return account;
}
