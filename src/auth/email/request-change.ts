import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { invalid, noMail } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { foldKey } from '../../domain/text.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import type { AuthParts } from '../parts.ts';
import { mailChange } from './pending-change.ts';

interface NewAddress extends CallerInput {
  readonly email: string;
  readonly origin: Origin;
}

/**
 * Mails a link to the address that the caller wants to have. A change to another address that waits is withdrawn. Nothing is
 * told of whose the address is: that is decided when the link is used. Fails with `recent_sign_in_required`, as
 * `mailChange`, or with `validation_failed` for the address that the account has.
 */
export const requestEmailChange = ownAccountWrite(
  'auth.request_email_change',
  async (db, input: NewAddress & { readonly link: NewLink }, caller, engine): Promise<void> => {
    const { email, link, now, origin } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    const account = await db
      .selectFrom('users')
      .select('email')
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    if (account.email === email) {
      const message = 'This is the e-mail address that you have already.';
      throw invalid([{ field: 'email', rule: 'new', message }]);
    }
    await db
      .deleteFrom('email_links')
      .where('user_id', '=', caller.userId)
      .where('kind', '=', 'change')
      .where('email', '!=', email)
      .execute();
    const address = { email, email_key: foldKey(email) };
    await mailChange(db, { address, caller, link, now, origin }, engine);
  },
);

/** Begins a change of the caller's address. Fails as `requestEmailChange`, or with `no_mail`. */
export async function askForEmailChange(
  parts: Pick<AuthParts, 'store' | 'sealing' | 'sendsMail'>,
  input: NewAddress,
): Promise<void> {
  if (!parts.sendsMail)
    throw noMail('This service sends no mail; ask whoever runs it for another e-mail address.');
  await parts.store.write(requestEmailChange, { ...input, link: newLink(parts.sealing, 'stoa_el_') });
}
