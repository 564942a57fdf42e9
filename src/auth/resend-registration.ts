import { Failure, noMail } from '../domain/failure.ts';
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
 * may ask too. Nothing happens where no such registration waits, where two wait with different passwords (one is a
 * stranger's, and the owner of the address must not be handed that), and where no mail can be queued: an answer of its own
 * would tell that one waits.
 */
export const resendRegistration = writeOperation(
  'auth.resend_registration',
  async (db, { username, email, ...mailing }: Resending, engine): Promise<void> => {
    const [pending, other] = await db
      .selectFrom('pending_registrations')
      .select(['username', 'email_key', 'password_hash'])
      .select((eb) => eb.fn.max('email').as('email'))
      .where('email_key', '=', foldKey(email))
      .where('username', '=', username)
      .where('expires_at', '>', mailing.now)
      .groupBy(['username', 'email_key', 'password_hash'])
      .limit(2)
      .execute();
    if (!pending || other) return;
    await keepPending(db, pending, mailing, engine).catch(ignoreRefusal);
  },
);

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

/** Mails the link of a registration again. Fails with `no_mail` or as `requireEntry`. */
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
