import { findByKey } from '../accounts/find.ts';
import { noMail } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { newLink } from '../services/mail/links.ts';
import { mailPasswordReset } from '../services/mail/password-reset.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { AuthParts } from './parts.ts';

/** The id of the account with this e-mail address, unless it is disabled. */
export const findByAddress = readOperation(
  'auth.find_by_address',
  async (db, email: string): Promise<number | undefined> => {
    const account = await findByKey(db, foldKey(email));
    return account?.disabled_at === null ? account.id : undefined;
  },
);

/** Keeps the link and mails it to the address of the account, unless too many were mailed to it. */
export const requestPasswordReset = writeOperation('auth.request_password_reset', mailPasswordReset);

/**
 * Mails a link to choose a new password by, where an account has the address. Nobody learns whether one has: the answer
 * does not wait for the write, which a stranger's address does not cause. Fails with `no_mail` where the service sends
 * none.
 */
export async function forgetPassword(parts: AuthParts, email: string, origin: Origin): Promise<void> {
  if (!parts.sendsMail) {
    throw noMail('This service sends no mail; ask whoever runs it for a new password.');
  }
  const link = newLink(parts.sealing, 'stoa_pr_');
  const userId = await parts.store.read(findByAddress, email);
  if (userId === undefined) return;
  // The store finishes what it was given, also when the service stops.
  void parts.store
    .write(requestPasswordReset, { userId, ...link, now: parts.clock(), origin })
    .catch((error) => parts.notice('a link to choose a new password could not be mailed', error));
}
