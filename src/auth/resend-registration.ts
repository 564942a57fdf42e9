import { noMail } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { type NewLink, newLink } from '../services/mail/links.ts';
import { writeOperation } from '../store/operation.ts';
import { keepPending } from './email/pending-registration.ts';
import { requireEntry } from './invitations/entry.ts';
import type { AuthParts } from './parts.ts';

/** A registration as its answer named it. */
interface Named {
  readonly username: string;
  readonly email: string;
}

interface Resending extends Named {
  readonly link: NewLink;
  readonly origin: Origin;
  readonly now: number;
}

/**
 * Mails one more link for a registration that waits. Earlier links stay good: a stranger who knows name and address
 * may ask too. Nothing happens where no such registration waits. Fails as `keepPending`.
 */
export const resendRegistration = writeOperation(
  'auth.resend_registration',
  async (db, { username, email, ...mailing }: Resending, engine): Promise<void> => {
    const pending = await db
      .selectFrom('pending_registrations')
      .select(['username', 'email', 'email_key', 'password_hash'])
      .where('email_key', '=', foldKey(email))
      .where('username', '=', username)
      .where('expires_at', '>', mailing.now)
      .orderBy('expires_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (pending) await keepPending(db, pending, mailing, engine);
  },
);

/** Mails the link of a registration again. Fails as `resendRegistration`, or with `no_mail` or as `requireEntry`. */
export async function askForRegistrationAgain(
  { store, sealing, clock, sendsMail, registration }: AuthParts,
  named: Named,
  origin: Origin,
): Promise<void> {
  requireEntry(registration, undefined);
  if (!sendsMail) throw noMail('This service sends no mail, so no address can be proved.');
  const resending = { ...named, link: newLink(sealing, 'stoa_el_'), origin, now: clock() };
  await store.write(resendRegistration, resending);
}
