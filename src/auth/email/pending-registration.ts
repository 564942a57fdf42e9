import { Failure, tooManyRequests } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import type { NewLink } from '../../services/mail/links.ts';
import { notQueued, queueMail } from '../../services/mail/queue.ts';
import { throttleKey } from '../../services/throttle/standing.ts';
import { takeFromBucket } from '../../services/throttle/take.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';

/** Milliseconds that a registration waits for the proof of its address. */
export const PENDING_MS = DAY_MS;
/** Registrations that wait: of one source, and in all. */
const MOST_OF_SOURCE = 1_000;
const MOST = 100_000;
/** Mails that one source causes to one address: fewer than come there in all, so that others get theirs (0052). */
const PER_ADDRESS = { free: 3, everyMs: HOUR_MS } as const;

interface Pending {
  readonly username: string;
  readonly email: string;
  readonly email_key: string;
  readonly password_hash: string;
}

interface Mailing {
  readonly link: NewLink;
  readonly origin: Origin;
  readonly now: number;
}

/**
 * Keeps a registration until its address is proved, and mails the link. The same statements run where an account has the
 * address: then its owner is told, and the link is in no mail. Nothing is kept where too many mails were sent to the
 * address. Fails with `too_many_requests` or `busy` where too many wait or were asked for.
 */
export async function keepPending(
  db: Db,
  registration: Pending,
  { link, origin, now }: Mailing,
  engine: Engine,
): Promise<void> {
  // Writes at once would all find the last place.
  await engine.lock(db, 'pending registrations');
  const sourceKey = throttleKey('source', origin.source);
  await requireRoom(db, sourceKey);
  const { username, email, email_key } = registration;
  const bucket = throttleKey('registration', email_key, origin.source);
  if (!(await takeFromBucket(db, bucket, PER_ADDRESS, now))) return;
  const owner = await db
    .selectFrom('users')
    .select(['id', 'username', 'email'])
    .where('email_key', '=', email_key)
    .forKeyShare()
    .executeTakeFirst();
  const { id: accountId, email: recipient, ...values } = owner ?? { id: null, username, email };
  const template = owner ? 'registration_attempted' : 'registration';
  const mail = { accountId, recipient, template, values, secret: link.secret, origin } as const;
  const expiresAt = now + PENDING_MS;
  const queueing = await queueMail(db, { ...mail, now, giveUpAt: expiresAt }, engine);
  // It tells nothing of the address: mails to all addresses are counted there.
  if (queueing === 'too_many_from_source') throw notQueued(queueing);
  if (queueing !== 'queued') return;
  await db
    .insertInto('pending_registrations')
    .values({ ...registration, token_hash: link.tokenHash, source_key: sourceKey, expires_at: expiresAt })
    .execute();
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
