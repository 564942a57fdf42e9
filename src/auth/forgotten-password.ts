import { findByKey } from '../accounts/find.ts';
import { noMail } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { recordEvent } from '../services/audit/record.ts';
import { queueMail } from '../services/mail/queue.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { type NewLink, newLink } from './links.ts';
import type { AuthParts } from './parts.ts';

/** Milliseconds that a link to choose a new password lives. */
const RESET_MS = 30 * MINUTE_MS;

/** The id of the account with this e-mail address, unless it is disabled. */
export const findByAddress = readOperation(
  'auth.find_by_address',
  async (db, email: string): Promise<number | undefined> => {
    const account = await findByKey(db, foldKey(email));
    return account?.disabled_at === null ? account.id : undefined;
  },
);

interface ResetRequest extends NewLink {
  readonly userId: number;
  readonly now: number;
  readonly origin: Origin;
}

/** Keeps the link and mails it to the address of the account, unless too many were mailed to it. */
export const requestPasswordReset = writeOperation(
  'auth.request_password_reset',
  async (db, { userId, tokenHash, secret, now, origin }: ResetRequest, engine): Promise<void> => {
    const account = await db
      .selectFrom('users')
      .select(['username', 'email'])
      .where('id', '=', userId)
      .forKeyShare()
      .executeTakeFirst();
    if (!account) return;
    const expiresAt = now + RESET_MS;
    const values = { username: account.username };
    const mail = { recipient: account.email, template: 'password_reset', values, secret, origin } as const;
    if ((await queueMail(db, { ...mail, now, giveUpAt: expiresAt }, engine)) !== 'queued') return;
    const reset = { token_hash: tokenHash, user_id: userId, expires_at: expiresAt };
    await db.insertInto('password_resets').values(reset).execute();
    await recordEvent(db, { event: 'password_reset_requested', at: now, origin, accountId: userId });
  },
);

/**
 * Mails a link to choose a new password by, where an account has the address. Nobody learns whether one has: the answer
 * does not wait for the write, which a stranger's address does not cause. Fails with `no_mail` where the service sends
 * none.
 */
export async function forgetPassword(parts: AuthParts, email: string, origin: Origin): Promise<void> {
  if (!parts.sendsMail) {
    throw noMail('This service sends no mail; ask whoever runs it for a new password.');
  }
  const link = newLink(parts.sealing, 'stoa_pr_');
  const userId = await parts.store.read(findByAddress, email);
  if (userId === undefined) return;
  // The store finishes what it was given, also when the service stops.
  void parts.store
    .write(requestPasswordReset, { userId, ...link, now: parts.clock(), origin })
    .catch((error) => parts.notice('a link to choose a new password could not be mailed', error));
}
