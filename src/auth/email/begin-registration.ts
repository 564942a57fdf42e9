import { nameTaken } from '../../accounts/claim-name.ts';
import { taken } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { skeletonOf } from '../../domain/skeleton.ts';
import { foldKey, isAscii } from '../../domain/text.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { AuthParts } from '../parts.ts';
import { requireUncommon } from '../password-rule.ts';
import { hashForStranger, type Registration } from '../register.ts';
import { keepPending } from './pending-registration.ts';

interface NewRegistration {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly link: NewLink;
  readonly origin: Origin;
  readonly now: number;
}

/** Keeps a registration until its address is proved, and mails the link. Fails with `taken` for a name, and as `keepPending`. */
export const beginRegistration = writeOperation(
  'auth.begin_registration',
  async (db, input: NewRegistration, engine): Promise<void> => {
    const { username, email, passwordHash, ...mailing } = input;
    await requireFreeName(db, username);
    const registration = { username, email, email_key: foldKey(email), password_hash: passwordHash };
    await keepPending(db, registration, mailing, engine);
  },
);

/** What the constraints will say when the account is made, said at once: the list of users tells names anyway. */
async function requireFreeName(db: Db, username: string): Promise<void> {
  const holder = await db
    .selectFrom('users')
    .select('id')
    .where('username_key', '=', foldKey(username))
    .executeTakeFirst();
  if (holder) throw nameTaken();
  const reserved = await db
    .selectFrom('reserved_names')
    .select('user_id')
    .where('username_key', '=', foldKey(username))
    .executeTakeFirst();
  if (reserved) throw nameTaken();
  const double = await db
    .selectFrom('username_skeletons')
    .select('user_id')
    .where('skeleton', '=', skeletonOf(username))
    .executeTakeFirst();
  if (!double || (double.user_id === null && isAscii(username))) return;
  throw taken('username', 'This user name looks like one that is taken; choose another.');
}

/**
 * Begins a registration whose address has to be proved first. Whoever asks learns nothing of the address: the work and
 * the answer are the same where an account has it. Fails as `beginRegistration`, or with `validation_failed` for a
 * password that others would guess.
 */
export async function registerPending(
  parts: AuthParts,
  { username, email, password }: Registration,
  origin: Origin,
): Promise<void> {
  requireUncommon(password, { username, email }, parts.passwordBlocklist);
  const passwordHash = await hashForStranger(parts.hashing, password, origin);
  const link = newLink(parts.sealing, 'stoa_el_');
  const registration = { username, email, passwordHash, link, origin, now: parts.clock() };
  await parts.store.write(beginRegistration, registration);
}
