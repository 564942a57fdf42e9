import { findByKey } from '../accounts/find.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { newLink } from '../services/mail/links.ts';
import { queuePasswordReset, type ResetRequest } from '../services/mail/password-reset.ts';
import { writeOperation } from '../store/operation.ts';
import { isUsable } from './hindrance.ts';
import type { AuthParts } from './parts.ts';

/** Keeps the link and mails it to the address of the account, unless too many were mailed to it. */
export const requestPasswordReset = writeOperation('auth.request_password_reset', queuePasswordReset);

/** The same for the account with this e-mail address. Changes nothing where nobody may use one. */
export const forgetPassword = writeOperation(
  'auth.forget_password',
  async (db, { email, ...request }: Omit<ResetRequest, 'userId'> & { readonly email: string }, engine) => {
    const account = await findByKey(db, foldKey(email));
    if (!account || !isUsable(account, request.now)) return;
    await requestPasswordReset.run(db, { userId: account.id, ...request }, engine);
  },
);

/**
 * Mails a link to choose a new password by, where an account has the address. Called when the answer has gone out, for
 * every address: nothing that depends on the address is done before, so the time of the answer tells nothing of it.
 */
export function mailPasswordReset(parts: AuthParts, email: string, origin: Origin): void {
  const link = newLink(parts.sealing, 'stoa_pr_');
  // The store finishes what it was given, also when the service stops.
  parts.store
    .write(forgetPassword, { email, ...link, now: parts.clock(), origin })
    .catch((error) => parts.notice('a link to choose a new password could not be mailed', error));
}
