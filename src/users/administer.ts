import { activeAdmins } from '../accounts/active-admins.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import { findByLogin } from '../accounts/find.ts';
import type { Role } from '../domain/account.ts';
import { forbidden, notFound } from '../domain/failure.ts';
import { recordEvent } from '../services/audit/record.ts';
import { type Engine, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Gives the account a role, unless it has it; its running sessions have it within a second. Refuses to take the last admin's. */
export const setRole = writeOperation(
  'users.set_role',
  async (db, { account, role, now }: { account: string; role: Role; now: number }, engine) => {
    const { id } =
      role === 'admin' ? await accountNamed(db, account) : await dispensable(db, account, engine);
    const { role: from } = await lockedState(db, id);
    if (from === role) return;
    await db.updateTable('users').set({ role }).where('id', '=', id).execute();
    const detail = { from, to: role };
    await recordEvent(db, { event: 'role_changed', at: now, origin: null, accountId: id, detail });
    await engine.publish(db, 'anything');
  },
);

/** Refuses the account's logins and ends its sessions, in one step. Refuses to do so to the last admin. */
export const disableAccount = writeOperation(
  'users.disable',
  async (db, { account, now }: { account: string; now: number }, engine) => {
    const { id } = await dispensable(db, account, engine);
    if ((await lockedState(db, id)).disabled_at !== null) return;
    await db.updateTable('users').set({ disabled_at: now }).where('id', '=', id).execute();
    await endSessions(db, { userId: id }, { now, because: 'disabled' }, engine);
    await recordEvent(db, { event: 'account_disabled', at: now, origin: null, accountId: id });
  },
);

/** Logs the account out everywhere; it may log in again. Fails with `not_found`. */
export const endSessionsOfAccount = writeOperation(
  'users.end_sessions',
  async (db, { account, now }: { account: string; now: number }, engine) => {
    const { id } = await accountNamed(db, account);
    const ended = await endSessions(db, { userId: id }, { now, because: 'logout' }, engine);
    if (ended.length === 0) return;
    const detail = { sessions: String(ended.length), because: 'operator' };
    await recordEvent(db, { event: 'sessions_ended', at: now, origin: null, accountId: id, detail });
  },
);

/** Lets the account log in again; the sessions that it had stay ended. */
export const enableAccount = writeOperation(
  'users.enable',
  async (db, { account, now }: { account: string; now: number }) => {
    const { id } = await accountNamed(db, account);
    if ((await lockedState(db, id)).disabled_at === null) return;
    await db.updateTable('users').set({ disabled_at: null }).where('id', '=', id).execute();
    await recordEvent(db, { event: 'account_enabled', at: now, origin: null, accountId: id });
  },
);

/** What a change may change, as it stays until the write ends. */
function lockedState(db: Db, id: number) {
  return db
    .selectFrom('users')
    .select(['role', 'disabled_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

/** The account with this user name or e-mail address. Fails with `not_found`. */
async function accountNamed(db: Db, login: string) {
  const account = await findByLogin(db, login);
  if (!account) throw notFound('account');
  return account;
}

/**
 * The same, unless it is the last admin: fails with `forbidden` then. Writes that could leave none come
 * one after another, or two admins could each be removed while the other still counts.
 */
async function dispensable(db: Db, login: string, engine: Engine) {
  await engine.lock(db, 'admins');
  const account = await accountNamed(db, login);
  const [first, ...others] = await activeAdmins(db).limit(2).execute();
  if (first?.id === account.id && others.length === 0) {
    throw forbidden(`"${account.username}" is the last admin; make another admin first.`);
  }
  return account;
}
