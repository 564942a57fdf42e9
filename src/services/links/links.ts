import type { Origin } from '../../domain/origin.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Engine } from '../../store/operation.ts';
import { hasRows } from '../../store/pages.ts';
import type { Db } from '../../store/tables.ts';
import { type NewMail, type Queueing, queueMail } from '../mail/queue.ts';
import type { Values } from '../mail/templates.ts';
import { type Carries, endingEarly, PURPOSES, type Purpose } from './purposes.ts';
import type { NewLink } from './token.ts';

/** What is stored with a link of each purpose. */
type Kept =
  | { readonly purpose: Exclude<Purpose, keyof Carries>; readonly user_id: number; readonly carries?: never }
  | { readonly purpose: 'register'; readonly user_id: null; readonly carries: Carries['register'] }
  | { readonly purpose: 'invite'; readonly user_id: number; readonly carries: Carries['invite'] };

interface Keeping {
  readonly email: string;
  readonly email_key: string;
  readonly source_key?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Mailing extends Keeping {
  readonly link: NewLink;
  /** The values for the template of the purpose. */
  readonly values: Values;
  /** Where the mail differs: from the template of the purpose, from the address of the link, or in its limit. */
  readonly mail?: Partial<
    Pick<NewMail, 'accountId' | 'recipient' | 'template' | 'addressKind' | 'countedBy'>
  >;
  readonly origin: Origin | null;
}

/** Stores a link, and mails it to its address. If the mail is not queued, stores nothing and returns the reason. */
export async function mailLink(
  db: Db,
  { link, values, mail, origin, ...kept }: Kept & Mailing,
  engine: Engine,
): Promise<Queueing> {
  const { purpose, user_id, email, now } = kept;
  const { template, lifeMs } = PURPOSES[purpose];
  const ofPurpose = { accountId: user_id, recipient: email, template, values, secret: link.secret };
  const times = { now, giveUpAt: now + Math.min(lifeMs, DAY_MS) };
  const queueing = await queueMail(db, { ...ofPurpose, ...mail, ...times, origin }, engine);
  if (queueing === 'queued') await keepLink(db, { ...kept, tokenHash: link.tokenHash, lifeMs });
  return queueing;
}

/** Stores a link that is not mailed. */
export async function keepLink(
  db: Db,
  kept: Kept & Keeping & { readonly tokenHash: string; readonly lifeMs: number },
): Promise<void> {
  const { purpose, user_id, email, email_key, source_key = null, carries = {} } = kept;
  const row = { purpose, user_id, email, email_key, source_key, carries: JSON.stringify(carries) };
  const expires_at = kept.now + kept.lifeMs;
  await db
    .insertInto('links')
    .values({ ...row, token_hash: kept.tokenHash, expires_at })
    .execute();
}

/** The links of a purpose that can still be used. */
export function livingLinks(db: Db, purpose: Purpose, now: number) {
  return db.selectFrom('links').where('links.purpose', '=', purpose).where('links.expires_at', '>', now);
}

type CarriedBy<P extends Purpose> = P extends keyof Carries ? Carries[P] : unknown;

/** Parses what a link of the purpose carries. */
export function carriedBy<P extends Purpose>(carries: string): CarriedBy<P> {
  return JSON.parse(carries);
}

/** Removes a valid link. Of several writes at once, only one gets it. */
export async function takeLink<P extends Purpose>(
  db: Db,
  purpose: P,
  which: { readonly id: number } | { readonly token_hash: string },
  now: number,
) {
  const link = await db
    .deleteFrom('links')
    .where('purpose', '=', purpose)
    .where((eb) => eb.and(which))
    .where('expires_at', '>', now)
    .returning(['id', 'user_id', 'email', 'email_key', 'carries', 'expires_at'])
    .executeTakeFirst();
  return link && { ...link, carries: carriedBy<P>(link.carries) };
}

/** Ends the links of some purposes of an account, or to an address. */
export function endLinks(
  db: Db,
  of: { readonly user_id: number } | { readonly email_key: string },
  ...purposes: Purpose[]
) {
  return db
    .deleteFrom('links')
    .where((eb) => eb.and(of))
    .where('purpose', 'in', purposes);
}

/** True if there are this many links of the purpose, of an account, of a source, or in all. */
export function hasLinks(
  db: Db,
  purpose: Purpose,
  count: number,
  of: { readonly user_id: number } | { readonly source_key: string } | null = null,
): Promise<boolean> {
  const links = db.selectFrom('links').select('purpose').where('purpose', '=', purpose);
  return hasRows(of ? links.where((eb) => eb.and(of)) : links, count);
}

/** Ends what could still be completed for an account without a session: mailed links, and waiting sign-ins. */
export async function endPending(db: Db, userId: number): Promise<void> {
  await endLinks(db, { user_id: userId }, ...endingEarly).execute();
  await endChallenges(db, userId);
}

/** The same for some of all accounts. True where more may be left. */
export async function endSomePending(db: Db, limit: number): Promise<boolean> {
  const links = db.selectFrom('links').select('id').where('purpose', 'in', endingEarly).limit(limit);
  const challenges = db.selectFrom('second_factor_challenges').select('token_hash').limit(limit);
  const ended = [
    await db.deleteFrom('links').where('id', 'in', links).executeTakeFirst(),
    await db.deleteFrom('second_factor_challenges').where('token_hash', 'in', challenges).executeTakeFirst(),
  ];
  return ended.some(({ numDeletedRows }) => numDeletedRows >= limit);
}

/** Ends the sign-ins of an account that wait for their second factor. */
export async function endChallenges(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('second_factor_challenges').where('user_id', '=', userId).execute();
}
