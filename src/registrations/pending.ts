import type { RegisteredColumns } from '../accounts/fields.ts';
import { strangerAsker } from '../domain/admission/fair-queue.ts';
import { busy, Failure, tooManyRequests } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { HOUR_MS } from '../domain/time.ts';
import { sourceKey, take } from '../services/limits/shared.ts';
import { carriedBy, hasLinks, livingLinks, mailLink } from '../services/links/links.ts';
import type { NewLink } from '../services/links/token.ts';
import { notQueued } from '../services/mail/queue.ts';
import { type Engine, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

declare module '../services/links/purposes.ts' {
  interface Carries {
    readonly register: Omit<Pending, 'email'>;
  }
}

interface Pending {
  /** What else the body of the registration gave. */
  readonly given: RegisteredColumns;
  readonly username: string;
  readonly email: string;
  readonly password_hash: string;
}

export interface Mailing {
  readonly link: NewLink;
  readonly origin: Origin;
  readonly now: number;
}

/**
 * Stores a registration until its address is proved, and mails the link. The same statements run where an account has
 * the address: then its owner is told, and the link is in no mail. Nothing is stored where too many mails were sent to
 * the address. Fails with `too_many_requests` or `busy` where too many wait or were asked for.
 */
export async function keepPending(
  db: Db,
  { email, ...carries }: Pending,
  mailing: Mailing,
  engine: Engine,
): Promise<void> {
  const { origin, now } = mailing;
  // Writes at once would all find the last place.
  await engine.lock(db, 'pending registrations');
  const source_key = sourceKey(origin.source);
  await requireRoom(db, source_key);
  const email_key = foldKey(email);
  if (!(await take(db, 'registration', [email_key, origin.source], now))) return;
  const owner = await db
    .selectFrom('users')
    .select(['id', 'username', 'email'])
    .where('email_key', '=', email_key)
    .forKeyShare()
    .executeTakeFirst();
  const pending = { purpose: 'register', user_id: null, email, email_key, source_key, carries } as const;
  const values = { username: (owner ?? carries).username };
  const attempted = 'registration_attempted' as const;
  const mail = owner ? { accountId: owner.id, recipient: owner.email, template: attempted } : {};
  const queueing = await mailLink(db, { ...pending, values, mail, ...mailing }, engine);
  // This says nothing about the address: mails to all addresses are counted there.
  if (queueing === 'too_many_from_source') throw notQueued(queueing);
}

/** What `keepPending` refuses. Anything else, such as a full disk, is no matter of the registration. */
const SILENT: readonly string[] = ['too_many_requests', 'busy'];

/** The registration as its answer named it. */
interface Resending extends Mailing {
  readonly username: string;
  readonly email: string;
}

/**
 * Mails one more link for a registration that waits. Earlier links stay good: a stranger who knows name and address may
 * ask too. Nothing happens in three cases. No such registration waits. Two wait with different passwords: one is a
 * stranger's, which the owner of the address must not get. No mail can be queued: another answer would say that a
 * registration waits.
 */
export const resendRegistration = writeOperation(
  'registrations.resend_registration',
  async (db, { username, email, ...mailing }: Resending, engine): Promise<void> => {
    const waiting = await livingLinks(db, 'register', mailing.now)
      .select(['email', 'carries'])
      .where('email_key', '=', foldKey(email))
      .orderBy('email', 'desc')
      .execute();
    const named = waiting
      .map((each) => ({ email: each.email, ...carriedBy<'register'>(each.carries) }))
      .filter((each) => each.username === username);
    const [pending] = named;
    if (!pending || named.some((each) => each.password_hash !== pending.password_hash)) return;
    await keepPending(db, pending, mailing, engine).catch((error) => {
      if (!(error instanceof Failure && SILENT.includes(error.data.error))) throw error;
    });
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

async function requireRoom(db: Db, source_key: string): Promise<void> {
  const { inAll, ofSource } = ROW_LIMITS.pendingRegistrations;
  if (await hasLinks(db, 'register', ofSource, { source_key })) {
    const message =
      'Too many registrations from here wait until their addresses are proved; try again later.';
    throw tooManyRequests(message, HOUR_MS / 1000);
  }
  if (await hasLinks(db, 'register', inAll)) {
    const message = 'Too many registrations wait until their addresses are proved; try again later.';
    throw busy(message, HOUR_MS / 1000);
  }
}
