import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import { noMail } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import type { AuthParts } from '../parts.ts';
import { mailChange, noPendingChange, pendingChange } from './pending-change.ts';

interface Resending extends CallerInput {
  readonly origin: Origin;
}

/**
 * Mails one more link to the address that the caller is changing to, for another day. It asks for no recent sign-in: the
 * session that began the change had one, and the address is the same. Fails with `not_found`, and as `mailChange`.
 */
export const resendEmailChange = ownAccountWrite(
  'auth.resend_email_change',
  async (db, input: Resending & { readonly link: NewLink }, caller, engine): Promise<void> => {
    const { link, now, origin } = input;
    const address = await pendingChange(db, { userId: caller.userId, now });
    if (!address) throw noPendingChange();
    await mailChange(db, { address, caller, link, now, origin }, engine);
  },
);

/** Mails the link of a change again. Fails as `resendEmailChange`, or with `no_mail`. */
export async function askForEmailChangeAgain(
  parts: Pick<AuthParts, 'store' | 'sealing' | 'sendsMail'>,
  input: Resending,
): Promise<void> {
  if (!parts.sendsMail)
    throw noMail('This service sends no mail; ask whoever runs it for another e-mail address.');
  await parts.store.write(resendEmailChange, { ...input, link: newLink(parts.sealing, 'stoa_el_') });
}
