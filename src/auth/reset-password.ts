import { type Failure, invalid } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { OPERATOR_LINK } from '../services/mail/links.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { linkInvalid } from './email/links.ts';
import { resetFactors } from './factors.ts';
import { completeNewPassword } from './new-password.ts';
import type { AuthParts } from './parts.ts';
import { requireUncommon } from './password-rule.ts';

/**
 * Whose new password the link is for, and whether it has to be another one; undefined where the link was used, is too old,
 * or never was.
 */
export const findPasswordReset = readOperation(
  'auth.find_password_reset',
  (db, { tokenHash, now }: { tokenHash: string; now: number }) =>
    db
      .selectFrom('password_resets')
      .innerJoin('users', 'users.id', 'password_resets.user_id')
      .select(['users.username', 'users.email', 'users.password_hash', 'users.must_change_password'])
      .where('password_resets.token_hash', '=', tokenHash)
      .where('password_resets.expires_at', '>', now)
      .executeTakeFirst(),
);

interface Reset {
  readonly tokenHash: string;
  readonly newHash: string;
  /** Was the link mailed to the address of the account? */
  readonly provesAddress: boolean;
  readonly sendsMail: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Uses the link up and gives its account the password. All sessions end, and all other links. False where the link is of
 * no use: of several requests with one link, one removes the row. Nobody had proved the address before? Then whoever does
 * gets the account whole, without the second factors of somebody else (decisions 0056). The link of an operator proves no
 * address (decisions 0072).
 */
export const usePasswordReset = writeOperation(
  'auth.use_password_reset',
  async (
    db,
    { tokenHash, newHash, provesAddress, sendsMail, now, origin }: Reset,
    engine,
  ): Promise<boolean> => {
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
    const isProvedNow = provesAddress && account.email_verified_at === null;
    const verifiedAt = isProvedNow ? now : account.email_verified_at;
    await db
      .updateTable('users')
      .set({ password_hash: newHash, must_change_password: 0, email_verified_at: verifiedAt })
      .where('id', '=', userId)
      .execute();
    if (isProvedNow) await resetFactors(db, { userId, since: 0, now, origin });
    const made = { event: 'password_reset', userId, account, sendsMail, now, origin } as const;
    await completeNewPassword(db, made, engine);
    return true;
  },
);

/**
 * Gives the account of the link a new password. Fails with `link_invalid`, or with `validation_failed`, which leaves the
 * link good.
 */
export async function resetPassword(
  parts: AuthParts,
  { token, new_password }: { readonly token: string; readonly new_password: string },
  origin: Origin,
): Promise<void> {
  const tokenHash = hashOfToken(token);
  const account = await parts.store.read(findPasswordReset, { tokenHash, now: parts.clock() });
  if (!account) throw linkInvalid();
  requireUncommon(new_password, account, parts.passwordBlocklist, 'new_password');
  const asker = { source: origin.source, isKnown: true };
  // A demand ends all links, so the link is younger than the demand, and nothing but the link changes this hash.
  if (
    account.must_change_password === 1 &&
    (await parts.hashing.verify(account.password_hash, new_password, asker))
  )
    throw oldPassword();
  const newHash = await parts.hashing.hash(new_password, asker);
  const provesAddress = !token.startsWith(OPERATOR_LINK);
  const { sendsMail } = parts;
  const reset = { tokenHash, newHash, provesAddress, sendsMail, now: parts.clock(), origin };
  if (!(await parts.store.write(usePasswordReset, reset))) throw linkInvalid();
  parts.authenticator.forget('anything');
}

/** What an admin demanded is another password: the one that the account has may be known to others. */
function oldPassword(): Failure {
  const message =
    'This is the password that your account has, and an admin asks for another; choose a new one.';
  return invalid([{ field: 'new_password', rule: 'new', message }]);
}
