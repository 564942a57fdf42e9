import { requireAnotherAdmin } from '../accounts/admins.ts';
import { endPending } from '../accounts/end-pending.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import type { lockAccount } from '../accounts/lock-account.ts';
import type { Role } from '../domain/account.ts';
import type { By } from '../domain/by.ts';
import { noMail, taken } from '../domain/failure.ts';
import { isNoAddress } from '../domain/no-address.ts';
import { foldKey } from '../domain/text.ts';
import type { EventName } from '../services/audit/events.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { NewLink } from '../services/mail/links.ts';
import { queuePasswordReset } from '../services/mail/password-reset.ts';
import { notQueued, queueMail } from '../services/mail/queue.ts';
import { translateUnique } from '../store/constraint.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

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

/**
 * The account signs in with a new password alone from now on, which its owner chooses by the link. Asked for again, it mails
 * the link again. A disabled account gets none. Fails with `no_mail` for an account without an address, and where the mail
 * cannot be queued.
 */
export async function demandNewPassword(
  db: Db,
  { id, email, must_change_password, disabled_at }: Account,
  link: NewLink,
  by: By,
  engine: Engine,
): Promise<void> {
  if (isNoAddress(email)) throw noMail('The account has no e-mail address to mail a link to; give it one.');
  if (must_change_password === 0) {
    await db.updateTable('users').set({ must_change_password: 1 }).where('id', '=', id).execute();
    await endSessions(db, { userId: id }, { now: by.now, because: 'logout' }, engine);
    await record(db, 'password_change_demanded', id, by, { demanded: 'true' });
  }
  if (disabled_at !== null) return;
  const queueing = await queuePasswordReset(db, { userId: id, ...link, ...by }, engine);
  if (queueing !== 'queued') throw notQueued(queueing);
}

/** The account signs in with the password that it has again. */
export async function liftDemand(db: Db, { id, must_change_password }: Account, by: By): Promise<void> {
  if (must_change_password === 0) return;
  await db.updateTable('users').set({ must_change_password: 0 }).where('id', '=', id).execute();
  await record(db, 'password_change_demanded', id, by, { demanded: 'false' });
}

/**
 * Gives the account another address, for which whoever asks vouches, as for those of `stoa admin create`. All mailed links
 * end, the ways back to earlier addresses too: the owner may have lost those mailboxes to somebody. The address that the
 * account had is told. Sessions go on. Fails with `taken`.
 */
export async function changeAddress(
  db: Db,
  { id, username, email: before, email_verified_at }: Account,
  { email, sendsMail }: { readonly email: string; readonly sendsMail: boolean },
  by: By,
  engine: Engine,
): Promise<void> {
  if (before === email && email_verified_at !== null) return;
  const { now } = by;
  try {
    const address = { email, email_key: foldKey(email), email_verified_at: now };
    await db.updateTable('users').set(address).where('id', '=', id).execute();
  } catch (error) {
    translateUnique(error, {
      users_email_key: () => taken('email', 'Another account has this e-mail address.'),
    });
  }
  await endPending(db, id);
  await db.deleteFrom('email_links').where('user_id', '=', id).execute();
  await record(db, 'email_changed', id, by, { because: by.actor ? 'admin' : 'operator' });
  if (before === email || !sendsMail) return;
  const addressKind = email_verified_at === null ? 'unproved' : 'proved';
  const told = {
    recipient: before,
    addressKind,
    template: 'email_changed_by_admin',
    values: { username },
  } as const;
  await queueMail(db, { accountId: id, ...told, now, origin: by.origin }, engine);
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
