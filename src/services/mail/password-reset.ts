import type { By } from '../../domain/by.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { recordEvent } from '../audit/record.ts';
import type { NewLink } from './links.ts';
import { type Queueing, queueMail } from './queue.ts';

/** Milliseconds that a link to choose a new password lives. */
const RESET_MS = 30 * MINUTE_MS;

export interface ResetRequest extends NewLink, By {
  readonly userId: number;
}

/** Keeps the link and mails it to the address of the account, unless too many were mailed to it. */
export async function queuePasswordReset(
  db: Db,
  { userId, tokenHash, secret, now, origin, actor }: ResetRequest,
  engine: Engine,
): Promise<Queueing> {
  const account = await db
    .selectFrom('users')
    .select(['username', 'email'])
    .where('id', '=', userId)
    .forKeyShare()
    .executeTakeFirst();
  if (!account) return 'no_address';
  const expiresAt = now + RESET_MS;
  const values = { username: account.username };
  const address = { accountId: userId, recipient: account.email };
  const mail = { ...address, template: 'password_reset', values, secret, origin } as const;
  const queueing = await queueMail(db, { ...mail, now, giveUpAt: expiresAt }, engine);
  if (queueing !== 'queued') return queueing;
  const reset = { token_hash: tokenHash, user_id: userId, expires_at: expiresAt };
  await db.insertInto('password_resets').values(reset).execute();
  await recordEvent(db, { event: 'password_reset_requested', at: now, origin, accountId: userId, ...actor });
  return queueing;
}
