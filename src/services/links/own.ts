import type { By } from '../../domain/by.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { recordEvent } from '../audit/record.ts';
import type { Queueing } from '../mail/queue.ts';
import { mailLink } from './links.ts';
import type { NewLink } from './token.ts';

const EVENTS = {
  reset_password: 'password_reset_requested',
  verify_email: 'email_verification_requested',
} as const;

export interface OwnLink extends By {
  readonly userId: number;
  readonly link: NewLink;
  /** Set if the mail is counted by something else than its recipient. */
  readonly countedBy?: readonly string[];
}

/** Mails an account a link that proves its address. Returns the reason if no mail is queued: `proved` where it is proved. */
export async function mailProof(db: Db, request: OwnLink, engine: Engine): Promise<Queueing | 'proved'> {
  const proved = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', request.userId)
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst();
  return proved ? 'proved' : mailOwner(db, 'verify_email', request, engine);
}

/** Mails an account a link to its address. Returns the reason if no mail is queued. */
export async function mailOwner(
  db: Db,
  purpose: keyof typeof EVENTS,
  { userId, link, countedBy, now, origin, actor }: OwnLink,
  engine: Engine,
): Promise<Queueing> {
  const account = await db
    .selectFrom('users')
    .select(['username', 'email', 'email_key'])
    .where('id', '=', userId)
    .forKeyShare()
    .executeTakeFirst();
  if (!account) return 'no_address';
  const { username, email, email_key } = account;
  const own = { purpose, user_id: userId, email, email_key, values: { username } };
  const queueing = await mailLink(
    db,
    { ...own, link, now, origin, ...(countedBy && { mail: { countedBy } }) },
    engine,
  );
  if (queueing === 'queued')
    await recordEvent(db, { event: EVENTS[purpose], at: now, origin, accountId: userId, ...actor });
  return queueing;
}
