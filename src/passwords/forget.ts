import { findByKey } from '../accounts/find.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { mailOwner, type OwnLink } from '../services/links/own.ts';
import { newLink } from '../services/links/token.ts';
import { writeOperation } from '../store/operation.ts';
import { isUsable } from './checked-account.ts';
import type { PasswordParts } from './parts.ts';

/** Mails a link to choose a new password to the address of the account, unless too many were mailed there. */
export const requestPasswordReset = writeOperation(
  'passwords.request_password_reset',
  (db, request: OwnLink, engine) => mailOwner(db, 'reset_password', request, engine),
);

/** The same for the account with this e-mail address. Does nothing where no account in use has it. */
export const forgetPassword = writeOperation(
  'passwords.forget_password',
  async (db, { email, ...request }: Omit<OwnLink, 'userId'> & { readonly email: string }, engine) => {
    const account = await findByKey(db, foldKey(email));
    if (!account || !isUsable(account, request.now)) return;
    await requestPasswordReset.run(db, { userId: account.id, ...request }, engine);
  },
  // Nobody hears when it fails, so it stands behind nothing else of its source.
  {
    askerOf: ({ origin }) =>
      origin ? { name: `forgotten passwords of ${origin.source}`, isSignedIn: false } : undefined,
    turns: 'exclusive',
  },
);

/**
 * Mails a link to choose a new password, where an account has the address. Called when the answer has gone out, so that
 * the time of the answer does not tell whether there is an account.
 */
export function mailPasswordReset(parts: PasswordParts, email: string, origin: Origin): void {
  const link = newLink(parts.sealing, 'reset_password');
  // The store finishes this write, also when the service stops.
  parts.store
    .write(forgetPassword, { email, link, now: parts.clock(), origin })
    .catch((error) => parts.notice('a link to choose a new password could not be mailed', error));
}
