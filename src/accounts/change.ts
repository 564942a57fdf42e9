import { ROLES, type Role } from '../domain/account.ts';
import { byCaller } from '../domain/by.ts';
import { forbidden, noMail } from '../domain/failure.ts';
import type { NewLink } from '../services/links/token.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { adminWrite } from './admin-write.ts';
import { changeAddress, changeRole, demandNewPassword, disable, enable, liftDemand } from './changes.ts';
import { type AdminRow, accountForAdmins } from './list-for-admins.ts';
import { lockAccount } from './lock-account.ts';

const NO_MAIL =
  'This service sends no mail, so nobody could choose a new password by a link; set SMTP_URL, or disable the account.';

const OWN_ADDRESS =
  'This is your own address; change it with POST /api/auth/email, which mails a link to the new one.';

interface Change extends Asked {
  readonly id: number;
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
  readonly must_change_password?: boolean | undefined;
  readonly email?: string | undefined;
  /** For the mail of a demanded password. Undefined where the service sends none. */
  readonly link?: NewLink | undefined;
  readonly sendsMail: boolean;
}

/**
 * Changes the members that are given, and returns the account. Fails with `not_found`, with `last_admin` for what would
 * leave no admin, with `recent_sign_in_required` for what gives rights or is mailed, with `taken` for an address, with
 * `forbidden` for the own address where a mail can prove the new one, and with `no_mail` where no link to choose a new
 * password by could be mailed.
 */
export const changeUser = adminWrite(
  'accounts.change',
  async (db, input: Change, caller, engine): Promise<AdminRow> => {
    const { id, role, disabled, must_change_password, email, link, sendsMail, now } = input;
    // A thief of an admin's session could take the account: this way needs no proof, and ends the undo links.
    if (email !== undefined && id === caller.userId && sendsMail) throw forbidden(OWN_ADDRESS);
    const account = await lockAccount(db, id, now, engine);
    if (isDelicate(input, account.role)) await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    const by = byCaller(input, caller);
    if (role !== undefined) await changeRole(db, account, role, by, engine);
    if (email !== undefined) await changeAddress(db, account, { email, sendsMail }, by, engine);
    if (disabled === true) await disable(db, account, by, engine);
    if (disabled === false) await enable(db, account, by);
    // As the account is now: the link goes to its new address.
    if (must_change_password === true) {
      if (!link) throw noMail(NO_MAIL);
      await demandNewPassword(db, await lockAccount(db, id, now, engine), link, by, engine);
    }
    if (must_change_password === false) await liftDemand(db, account, by);
    return accountForAdmins(db, id, now);
  },
);

/** What a thief of an access token would do, and what outlives that token. */
function isDelicate({ role, disabled, must_change_password, email }: Change, before: Role): boolean {
  const isPromoted = role !== undefined && ROLES.indexOf(role) > ROLES.indexOf(before);
  const givesRights = isPromoted || disabled === false;
  return givesRights || must_change_password !== undefined || email !== undefined;
}
