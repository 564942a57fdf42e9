import { nameTaken } from '../accounts/claim-name.ts';
import { refusedNames } from '../accounts/refused-names.ts';
import { strangerAsker } from '../domain/admission/fair-queue.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { newLink } from '../services/links/token.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { RegistrationParts } from './parts.ts';
import { keepPending, type Mailing } from './pending.ts';
import { type Applicant, applicantOf, type Registration } from './register.ts';

/**
 * Stores a registration until its address is proved, and mails the link. Fails with `taken` for a name, and as
 * `keepPending`.
 */
export const beginRegistration = writeOperation(
  'registrations.begin_registration',
  async (db, input: Applicant & Mailing, engine): Promise<void> => {
    const { username, email, passwordHash, given, ...mailing } = input;
    await requireFreeName(db, username);
    await keepPending(db, { username, email, password_hash: passwordHash, given }, mailing, engine);
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

/** What the constraints will say when the account is made. It is no secret: the list of users has all names. */
async function requireFreeName(db: Db, username: string): Promise<void> {
  const holder = db.selectFrom('users').select('id').where('username_key', '=', foldKey(username));
  if (await holder.executeTakeFirst()) throw nameTaken();
  const [refusal] = (await refusedNames(db, [username])).values();
  if (refusal) throw refusal;
}

/**
 * Begins a registration whose address has to be proved first. The work and the answer are the same where an account has
 * the address, so that nobody learns of that account. Fails as `beginRegistration` and `applicantOf`.
 */
export async function registerPending(
  parts: RegistrationParts,
  registration: Registration,
  origin: Origin,
): Promise<void> {
  const applicant = await applicantOf(parts, registration, origin);
  const mailing = { link: newLink(parts.sealing, 'register'), origin, now: parts.clock() };
  await parts.store.write(beginRegistration, { ...applicant, ...mailing });
}
