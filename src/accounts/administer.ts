import type { Role } from '../domain/account.ts';
import type { By } from '../domain/by.ts';
import { notFound } from '../domain/failure.ts';
import { type Engine, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { lockAdmins } from './admins.ts';
import { changeRole, disable, enable, endAllSessions } from './changes.ts';
import { findByLogin } from './find.ts';
import { type LockedAccount, lockAccount } from './lock-account.ts';

interface Command {
  /** A user name or an e-mail address, in any spelling. */
  readonly account: string;
  readonly now: number;
}

export const setRole = command<Command & { readonly role: Role }>(
  'accounts.set_role',
  (db, account, { role, ...by }, engine) => changeRole(db, account, role, by, engine),
);

export const disableAccount = command('accounts.disable', disable);

export const enableAccount = command('accounts.enable', enable);

/** Signs the account out everywhere. It may sign in again. */
export const endSessionsOfAccount = command(
  'accounts.end_sessions',
  async (db, { id }, by, engine): Promise<void> => {
    await endAllSessions(db, id, by, engine);
  },
);

/** What an operator does to an account. Fails with `not_found`, and as the change. */
function command<Input extends Command>(
  name: string,
  change: (db: Db, account: LockedAccount, input: Input & By, engine: Engine) => Promise<void>,
) {
  return writeOperation(name, async (db, input: Input, engine): Promise<void> => {
    await lockAdmins(db, engine);
    const found = await findByLogin(db, input.account);
    if (!found) throw notFound('account');
    const account = await lockAccount(db, found.id, input.now, engine);
    await change(db, account, { ...input, origin: null }, engine);
  });
}
