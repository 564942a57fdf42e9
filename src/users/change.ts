import { adminWrite } from '../accounts/admin-write.ts';
import type { CallerInput } from '../accounts/caller-write.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import type { Role } from '../domain/account.ts';
import { noMail, notFound } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { type By, changeRole, demandNewPassword, disable, enable } from './account-changes.ts';
import { type AdminRow, accountForAdmins } from './list-for-admins.ts';

const NO_MAIL =
  'This service sends no mail, so nobody could choose a new password by a link; set SMTP_URL, or disable the account.';

interface Change extends CallerInput {
  readonly id: number;
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
  readonly must_change_password?: boolean | undefined;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Changes the members that are given, and returns the account. Fails with `not_found`, with `last_admin` for what would
 * leave no admin, with `recent_sign_in_required` for what gives rights, and with `no_mail` where no link to choose a new password
 * by could be mailed.
 */
export const changeUser = adminWrite(
  'users.change',
  async (db, input: Change, { userId, sessionId }, engine): Promise<AdminRow> => {
    const { id, role, disabled, must_change_password, now, origin } = input;
    if (givesRights(input)) await requireRecentSignIn(db, { sessionId, now });
    if (must_change_password && !input.sendsMail) throw noMail(NO_MAIL);
    const account = await lockAccount(db, id, now);
    const by: By = { now, origin, actor: { actorId: userId, sessionId } };
    if (role !== undefined) await changeRole(db, account, role, by, engine);
    if (disabled === true) await disable(db, account, by, engine);
    if (disabled === false) await enable(db, account, by);
    if (must_change_password !== undefined)
      await demandNewPassword(db, account, must_change_password, by, engine);
    const row = await accountForAdmins(db, id, now);
    if (!row) throw notFound('user');
    return row;
  },
);

/** What a thief of an access token would do, and what outlives that token. */
function givesRights({ role, disabled, must_change_password }: Change): boolean {
  return role === 'admin' || role === 'editor' || disabled === false || must_change_password === false;
}
