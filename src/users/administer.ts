import { lockAdmins } from '../accounts/admins.ts';
import { findByLogin } from '../accounts/find.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import type { Role } from '../domain/account.ts';
import { notFound } from '../domain/failure.ts';
import { type Engine, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { changeRole, disable, enable, endAllSessions } from './account-changes.ts';

/** What the commands of an operator do to an account, which is given by user name or e-mail address. */
interface Command {
  readonly account: string;
  readonly now: number;
}

/** Gives the account a role, unless it has it; its running sessions have it within a second. Refuses to take the last admin's. */
export const setRole = writeOperation(
  'users.set_role',
  async (db, { account, role, now }: Command & { readonly role: Role }, engine) =>
    changeRole(db, await accountNamed(db, { account, now }, engine), role, { now, origin: null }, engine),
);

/** Refuses the account's logins and ends its sessions, in one step. Refuses to do so to the last admin. */
export const disableAccount = writeOperation('users.disable', async (db, { account, now }: Command, engine) =>
  disable(db, await accountNamed(db, { account, now }, engine), { now, origin: null }, engine),
);

/** Logs the account out everywhere; it may log in again. Fails with `not_found`. */
export const endSessionsOfAccount = writeOperation(
  'users.end_sessions',
  async (db, { account, now }: Command, engine): Promise<void> => {
    const { id } = await accountNamed(db, { account, now }, engine);
    await endAllSessions(db, id, { now, origin: null }, engine);
  },
);

/** Lets the account log in again; the sessions that it had stay ended. */
export const enableAccount = writeOperation('users.enable', async (db, { account, now }: Command, engine) =>
  enable(db, await accountNamed(db, { account, now }, engine), { now, origin: null }),
);

/** The account with this user name or e-mail address, locked. Fails with `not_found`. */
async function accountNamed(db: Db, { account: login, now }: Command, engine: Engine) {
  await lockAdmins(db, engine);
  const account = await findByLogin(db, login);
  if (!account) throw notFound('account');
  return lockAccount(db, account.id, now);
}
