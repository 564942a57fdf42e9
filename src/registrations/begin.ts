import { looksTaken, nameTaken } from '../accounts/claim-name.ts';
import type { Origin } from '../domain/origin.ts';
import { skeletonOf } from '../domain/skeleton.ts';
import { foldKey, isAscii } from '../domain/text.ts';
import { newLink } from '../services/links/token.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { RegistrationParts } from './parts.ts';
import { keepPending, type Mailing } from './pending.ts';
import { type Applicant, applicantOf, type Registration } from './register.ts';

/** Stores a registration until its address is proved, and mails the link. Fails with `taken` for a name, and as `keepPending`. */
export const beginRegistration = writeOperation(
  'registrations.begin_registration',
  async (db, input: Applicant & Mailing, engine): Promise<void> => {
    const { username, email, passwordHash, given, ...mailing } = input;
    await requireFreeName(db, username);
    await keepPending(db, { username, email, password_hash: passwordHash, given }, mailing, engine);
  },
);

/** What the constraints will say when the account is made. It is no secret: the list of users has all names. */
async function requireFreeName(db: Db, username: string): Promise<void> {
  const key = foldKey(username);
  const holder = db.selectFrom('users').select('id').where('username_key', '=', key);
  const reserved = db.selectFrom('reserved_names').select('user_id').where('username_key', '=', key);
  if ((await holder.executeTakeFirst()) ?? (await reserved.executeTakeFirst())) throw nameTaken();
  const double = await db
    .selectFrom('username_skeletons')
    .select('user_id')
    .where('skeleton', '=', skeletonOf(username))
    .executeTakeFirst();
  if (double && (double.user_id !== null || !isAscii(username))) throw looksTaken();
}

/**
 * Begins a registration whose address has to be proved first. The work and the answer are the same where an account has the
 * address, so that nobody learns of that account. Fails as `beginRegistration` and `applicantOf`.
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
