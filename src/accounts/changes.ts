import type { Role } from '../domain/account.ts';
import type { By } from '../domain/by.ts';
import { noMail, taken } from '../domain/failure.ts';
import { isNoAddress } from '../domain/no-address.ts';
import { foldKey } from '../domain/text.ts';
import { recordChange } from '../services/audit/record.ts';
import { endLinks, endPending } from '../services/links/links.ts';
import { mailOwner } from '../services/links/own.ts';
import type { NewLink } from '../services/links/token.ts';
import { notQueued, queueMail } from '../services/mail/queue.ts';
import { endSessions } from '../sessions/end.ts';
import { translateUnique } from '../store/constraint.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { endInvitations, requireAnotherAdmin } from './admins.ts';
import type { LockedAccount } from './lock-account.ts';

/** Gives the account a role, unless it has it. Running sessions have it within a second. Refuses to take the last admin's. */
export async function changeRole(
  db: Db,
  account: LockedAccount,
  to: Role,
  by: By,
  engine: Engine,
): Promise<void> {
  const { id, role: from } = account;
  if (from === to) return;
  if (from === 'admin') {
    await requireAnotherAdmin(db, account);
    await endInvitations(db, id);
  }
  await db.updateTable('users').set({ role: to }).where('id', '=', id).execute();
  await recordChange(db, 'role_changed', id, by, { from, to });
  await engine.announce(db, { topic: 'account', key: id });
}

/** Refuses the account's sign-ins and ends its sessions, in one step. Refuses to do so to the last admin. */
export async function disable(db: Db, account: LockedAccount, by: By, engine: Engine): Promise<void> {
  if (account.disabled_at !== null) return;
  await requireAnotherAdmin(db, account);
  const { id } = account;
  await db.updateTable('users').set({ disabled_at: by.now }).where('id', '=', id).execute();
  if (account.role === 'admin') await endInvitations(db, id);
  await endSessions(db, { userId: id }, { now: by.now, because: 'disabled' }, engine);
  await recordChange(db, 'account_disabled', id, by);
}

/** Lets the account sign in again; the sessions that it had stay ended. */
export async function enable(db: Db, { id, disabled_at }: LockedAccount, by: By): Promise<void> {
  if (disabled_at === null) return;
  await db.updateTable('users').set({ disabled_at: null }).where('id', '=', id).execute();
  await recordChange(db, 'account_enabled', id, by);
}

/**
 * From now on the account signs in only with a new password, which its owner chooses by the link. A second demand mails
 * another link. A disabled account gets none. Fails with `no_mail` for an account without an address, and where the mail
 * cannot be queued.
 */
export async function demandNewPassword(
  db: Db,
  { id, email, must_change_password, disabled_at }: LockedAccount,
  link: NewLink,
  by: By,
  engine: Engine,
): Promise<void> {
  if (isNoAddress(email)) throw noMail('The account has no e-mail address to mail a link to; give it one.');
  if (must_change_password === 0) {
    await db.updateTable('users').set({ must_change_password: 1 }).where('id', '=', id).execute();
    await endSessions(db, { userId: id }, { now: by.now, because: 'logout' }, engine);
    // A thief of an admin's account may have invited somebody.
    await endInvitations(db, id);
    await recordChange(db, 'password_change_demanded', id, by, { demanded: 'true' });
  }
  if (disabled_at !== null) return;
  // Anyone can ask for a link to this address. Requests of a stranger must not use up the mails of an admin.
  const countedBy = ['demand', String(by.actor?.actorId), String(id)];
  const queueing = await mailOwner(db, 'reset_password', { userId: id, link, countedBy, ...by }, engine);
  if (queueing !== 'queued') throw notQueued(queueing);
}

/** The account signs in with the password that it has again. */
export async function liftDemand(db: Db, { id, must_change_password }: LockedAccount, by: By): Promise<void> {
  if (must_change_password === 0) return;
  await db.updateTable('users').set({ must_change_password: 0 }).where('id', '=', id).execute();
  await recordChange(db, 'password_change_demanded', id, by, { demanded: 'false' });
}

/**
 * Gives the account another address. The admin or operator who asks vouches for it, as for those of `stoa admin create`. All
 * mailed links end. So do the undo links of earlier changes, because a stranger may have those mailboxes now. The previous
 * address gets a notice. Sessions go on. Fails with `taken`.
 */
export async function changeAddress(
  db: Db,
  { id, username, email: before, email_verified_at }: LockedAccount,
  { email, sendsMail }: { readonly email: string; readonly sendsMail: boolean },
  by: By,
  engine: Engine,
): Promise<void> {
  if (before === email && email_verified_at !== null) return;
  try {
    const address = { email, email_key: foldKey(email), email_verified_at: by.now };
    await db.updateTable('users').set(address).where('id', '=', id).execute();
  } catch (error) {
    translateUnique(error, {
      users_email_key: () => taken('email', 'Another account has this e-mail address.'),
    });
  }
  await endPending(db, id);
  await endLinks(db, { user_id: id }, 'revert_email').execute();
  await recordChange(db, 'email_changed', id, by, { because: by.actor ? 'admin' : 'operator' });
  if (before === email || !sendsMail) return;
  const addressKind = email_verified_at === null ? 'unproved' : 'proved';
  const notice = { template: 'email_changed_by_admin', values: { username } } as const;
  const { now, origin } = by;
  await queueMail(db, { accountId: id, recipient: before, addressKind, ...notice, now, origin }, engine);
}

/** Ends all sessions of the account, those of programs too; returns how many. It may sign in again. */
export async function endAllSessions(db: Db, id: number, by: By, engine: Engine): Promise<number> {
  const { length } = await endSessions(db, { userId: id }, { now: by.now, because: 'logout' }, engine);
  if (length === 0) return 0;
  const because = by.actor ? 'admin' : 'operator';
  await recordChange(db, 'sessions_ended', id, by, { sessions: String(length), because });
  return length;
}
