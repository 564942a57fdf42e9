import { findByKey } from '../accounts/find.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { recordEvent } from '../services/audit/record.ts';
import { queueMail } from '../services/mail/queue.ts';
import { writeOperation } from '../store/operation.ts';
import { isUsable } from './hindrance.ts';
import { type NewLink, newLink } from './links.ts';
import type { AuthParts } from './parts.ts';

/** Milliseconds that a link to choose a new password lives. */
const RESET_MS = 30 * MINUTE_MS;

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
    const address = { accountId: userId, recipient: account.email };
    const mail = { ...address, template: 'password_reset', values, secret, origin } as const;
    if ((await queueMail(db, { ...mail, now, giveUpAt: expiresAt }, engine)) !== 'queued') return;
    const reset = { token_hash: tokenHash, user_id: userId, expires_at: expiresAt };
    await db.insertInto('password_resets').values(reset).execute();
    await recordEvent(db, { event: 'password_reset_requested', at: now, origin, accountId: userId });
  },
);

/** The same for the account with this e-mail address. Changes nothing where nobody may use one. */
export const forgetPassword = writeOperation(
  'auth.forget_password',
  async (db, { email, ...request }: Omit<ResetRequest, 'userId'> & { readonly email: string }, engine) => {
    const account = await findByKey(db, foldKey(email));
    if (!account || !isUsable(account, request.now)) return;
    await requestPasswordReset.run(db, { userId: account.id, ...request }, engine);
  },
);

/**
 * Mails a link to choose a new password by, where an account has the address. Called when the answer has gone out, for
 * every address: nothing that depends on the address is done before, so the time of the answer tells nothing of it.
 */
export function mailPasswordReset(parts: AuthParts, email: string, origin: Origin): void {
  const link = newLink(parts.sealing, 'stoa_pr_');
  // The store finishes what it was given, also when the service stops.
  parts.store
    .write(forgetPassword, { email, ...link, now: parts.clock(), origin })
    .catch((error) => parts.notice('a link to choose a new password could not be mailed', error));
}
