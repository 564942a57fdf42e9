import { requireAnotherAdmin } from '../accounts/admins.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import type { lockAccount } from '../accounts/lock-account.ts';
import type { Role } from '../domain/account.ts';
import type { Origin } from '../domain/origin.ts';
import type { EventName } from '../services/audit/events.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Who changes an account, when, and from where: an admin, or an operator on the command line. */
export interface By {
  readonly now: number;
  readonly origin: Origin | null;
  readonly actor?: { readonly actorId: number; readonly sessionId: string };
}

type Account = Awaited<ReturnType<typeof lockAccount>>;

/** Gives the account a role, unless it has it; its sessions have it within a second. Refuses to take the last admin's. */
export async function changeRole(db: Db, account: Account, to: Role, by: By, engine: Engine): Promise<void> {
  const { id, role: from } = account;
  if (from === to) return;
  if (from === 'admin') await requireAnotherAdmin(db, account);
  await db.updateTable('users').set({ role: to }).where('id', '=', id).execute();
  await record(db, 'role_changed', id, by, { from, to });
  await engine.publish(db, 'anything');
}

/** Refuses the account's sign-ins and ends its sessions, in one step. Refuses to do so to the last admin. */
export async function disable(db: Db, account: Account, by: By, engine: Engine): Promise<void> {
  if (account.disabled_at !== null) return;
  await requireAnotherAdmin(db, account);
  const { id } = account;
  await db.updateTable('users').set({ disabled_at: by.now }).where('id', '=', id).execute();
  await endSessions(db, { userId: id }, { now: by.now, because: 'disabled' }, engine);
  await record(db, 'account_disabled', id, by);
}

/** Lets the account sign in again; the sessions that it had stay ended. */
export async function enable(db: Db, { id, disabled_at }: Account, by: By): Promise<void> {
  if (disabled_at === null) return;
  await db.updateTable('users').set({ disabled_at: null }).where('id', '=', id).execute();
  await record(db, 'account_enabled', id, by);
}

/** The account signs in with a new password alone from now on, or again with the one that it has. */
export async function demandNewPassword(
  db: Db,
  { id, must_change_password }: Account,
  isDemanded: boolean,
  by: By,
  engine: Engine,
): Promise<void> {
  if ((must_change_password === 1) === isDemanded) return;
  await db
    .updateTable('users')
    .set({ must_change_password: isDemanded ? 1 : 0 })
    .where('id', '=', id)
    .execute();
  if (isDemanded) await endSessions(db, { userId: id }, { now: by.now, because: 'logout' }, engine);
  await record(db, 'password_change_demanded', id, by, { demanded: String(isDemanded) });
}

/** Ends all sessions of the account, those of programs too; returns how many. It may sign in again. */
export async function endAllSessions(db: Db, id: number, by: By, engine: Engine): Promise<number> {
  const { length } = await endSessions(db, { userId: id }, { now: by.now, because: 'logout' }, engine);
  if (length === 0) return 0;
  const because = by.actor ? 'admin' : 'operator';
  await record(db, 'sessions_ended', id, by, { sessions: String(length), because });
  return length;
}

function record(
  db: Db,
  event: EventName,
  accountId: number,
  { now, origin, actor }: By,
  detail?: Record<string, string>,
): Promise<void> {
  return recordEvent(db, { event, at: now, origin, accountId, ...actor, ...(detail && { detail }) });
}
