import { nameTaken } from '../../accounts/claim-name.ts';
import { Failure, taken, tooManyRequests } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { skeletonOf } from '../../domain/skeleton.ts';
import { foldKey, isAscii } from '../../domain/text.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { queueMail } from '../../services/mail/queue.ts';
import { throttleKey } from '../../services/throttle/standing.ts';
import { takeFromBucket } from '../../services/throttle/take.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { AuthParts } from '../parts.ts';
import { requireUncommon } from '../password-rule.ts';
import { hashForStranger, type Registration } from '../register.ts';

/** Milliseconds that a registration waits for the proof of its address. */
export const PENDING_MS = DAY_MS;
/** Registrations that wait: of one source, and in all. */
const MOST_OF_SOURCE = 1_000;
const MOST = 100_000;
/** Mails that one source causes to one address: fewer than come there in all, so that others get theirs (0052). */
const PER_ADDRESS = { free: 3, everyMs: HOUR_MS } as const;

interface NewRegistration {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly link: NewLink;
  readonly source: string;
  readonly now: number;
}

/**
 * Keeps a registration until its address is proved, and mails the link. The same statements run where an account has the
 * address: then its owner is told, and the link is in no mail. Fails with `taken` for a name, and with
 * `too_many_requests` or `busy` where too many wait.
 */
export const beginRegistration = writeOperation(
  'auth.begin_registration',
  async (db, input: NewRegistration, engine): Promise<void> => {
    const { username, email, passwordHash, link, source, now } = input;
    await requireFreeName(db, username);
    // Writes at once would all find the last place.
    await engine.lock(db, 'pending registrations');
    const sourceKey = throttleKey('source', source);
    await requireRoom(db, sourceKey);
    const emailKey = foldKey(email);
    const bucket = throttleKey('registration', emailKey, source);
    if (!(await takeFromBucket(db, bucket, PER_ADDRESS, now))) return;
    const owner = await db
      .selectFrom('users')
      .select(['username', 'email'])
      .where('email_key', '=', emailKey)
      .executeTakeFirst();
    const { email: recipient, ...values } = owner ?? { username, email };
    const template = owner ? 'registration_attempted' : 'registration';
    const mail = { recipient, template, values, secret: link.secret } as const;
    const expiresAt = now + PENDING_MS;
    if (!(await queueMail(db, { ...mail, now, giveUpAt: expiresAt }, engine))) return;
    await db
      .insertInto('pending_registrations')
      .values({
        token_hash: link.tokenHash,
        username,
        email,
        email_key: emailKey,
        password_hash: passwordHash,
        source_key: sourceKey,
        expires_at: expiresAt,
      })
      .execute();
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

async function requireRoom(db: Db, sourceKey: string): Promise<void> {
  const pending = db.selectFrom('pending_registrations').select('token_hash').limit(1);
  const ofSource = pending.where('source_key', '=', sourceKey);
  if (await ofSource.offset(MOST_OF_SOURCE - 1).executeTakeFirst()) {
    const message =
      'Too many registrations from here wait until their addresses are proved; try again later.';
    throw tooManyRequests(message, HOUR_MS / 1000);
  }
  if (await pending.offset(MOST - 1).executeTakeFirst()) {
    const message = 'Too many registrations wait until their addresses are proved; try again later.';
    throw new Failure({ error: 'busy', message, retryAfter: HOUR_MS / 1000 });
  }
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
  const registration = { username, email, passwordHash, link: newLink(parts.sealing, 'stoa_el_') };
  await parts.store.write(beginRegistration, {
    ...registration,
    source: origin.source,
    now: parts.clock(),
  });
}
