import type { By } from '../../domain/by.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { recordEvent } from '../audit/record.ts';
import type { NewLink } from './links.ts';
import { queueMail } from './queue.ts';

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
): Promise<void> {
  const account = await db
    .selectFrom('users')
    .select(['username', 'email'])
    .where('id', '=', userId)
    .forKeyShare()
    .executeTakeFirst();
  if (!account) return;
  const expiresAt = now + RESET_MS;
  const values = { username: account.username };
  const address = { accountId: userId, recipient: account.email };
  const mail = { ...address, template: 'password_reset', values, secret, origin } as const;
  if ((await queueMail(db, { ...mail, now, giveUpAt: expiresAt }, engine)) !== 'queued') return;
  const reset = { token_hash: tokenHash, user_id: userId, expires_at: expiresAt };
  await db.insertInto('password_resets').values(reset).execute();
  await recordEvent(db, { event: 'password_reset_requested', at: now, origin, accountId: userId, ...actor });
}
