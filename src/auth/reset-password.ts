import type { Origin } from '../domain/origin.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { linkInvalid } from './email/links.ts';
import { resetFactors } from './factors.ts';
import { completeNewPassword } from './new-password.ts';
import type { AuthParts } from './parts.ts';
import { requireUncommon } from './password-rule.ts';

/** Whose new password the link is for; undefined where it was used, is too old, or never was. */
export const findPasswordReset = readOperation(
  'auth.find_password_reset',
  (db, { tokenHash, now }: { tokenHash: string; now: number }) =>
    db
      .selectFrom('password_resets')
      .innerJoin('users', 'users.id', 'password_resets.user_id')
      .select(['users.username', 'users.email'])
      .where('password_resets.token_hash', '=', tokenHash)
      .where('password_resets.expires_at', '>', now)
      .executeTakeFirst(),
);

interface Reset {
  readonly tokenHash: string;
  readonly newHash: string;
  readonly sendsMail: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Uses the link up and gives its account the password. All sessions end, and all other links. False where the link is of
 * no use: of several requests with one link, one removes the row. Nobody had proved the address before? Then whoever does
 * gets the account whole, without the second factors of somebody else (decisions 0056).
 */
export const usePasswordReset = writeOperation(
  'auth.use_password_reset',
  async (db, { tokenHash, newHash, sendsMail, now, origin }: Reset, engine): Promise<boolean> => {
    const reset = await db
      .deleteFrom('password_resets')
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', now)
      .returning('user_id')
      .executeTakeFirst();
    if (!reset) return false;
    const userId = reset.user_id;
    const account = await db
      .selectFrom('users')
      .select(['username', 'email', 'email_verified_at'])
      .where('id', '=', userId)
      .where('disabled_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst();
    // The link stays good.
    if (!account) throw linkInvalid();
    const verifiedAt = account.email_verified_at ?? now;
    await db
      .updateTable('users')
      .set({ password_hash: newHash, must_change_password: 0, email_verified_at: verifiedAt })
      .where('id', '=', userId)
      .execute();
    if (account.email_verified_at === null) await resetFactors(db, { userId, since: 0, now, origin });
    const made = { event: 'password_reset', userId, account, sendsMail, now, origin } as const;
    await completeNewPassword(db, made, engine);
    return true;
  },
);

/** Gives the account of the link a new password. Fails with `link_invalid` or `validation_failed`. */
export async function resetPassword(
  parts: AuthParts,
  { token, password }: { readonly token: string; readonly password: string },
  origin: Origin,
): Promise<void> {
  const tokenHash = hashOfToken(token);
  const account = await parts.store.read(findPasswordReset, { tokenHash, now: parts.clock() });
  if (!account) throw linkInvalid();
  requireUncommon(password, account, parts.passwordBlocklist);
  const newHash = await parts.hashing.hash(password, { source: origin.source, isKnown: true });
  const { sendsMail } = parts;
  const reset = { tokenHash, newHash, sendsMail, now: parts.clock(), origin };
  if (!(await parts.store.write(usePasswordReset, reset))) throw linkInvalid();
  parts.authenticator.forget('anything');
}
