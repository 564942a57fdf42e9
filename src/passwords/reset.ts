import { strangerAsker } from '../domain/admission/fair-queue.ts';
import { invalid } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { resetFactors } from '../factors/factors.ts';
import { livingLinks } from '../services/links/links.ts';
import { OPERATOR_LINK } from '../services/links/purposes.ts';
import { linkInvalid, lockAccountsOf, useAccountLink } from '../services/links/use.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { completeNewPassword } from './new-password.ts';
import type { PasswordParts } from './parts.ts';
import { requireUncommon } from './rule.ts';

/**
 * The account that the link gives a new password. Undefined where the link was used, is too old, or never existed.
 */
export const findPasswordReset = readOperation(
  'passwords.find_password_reset',
  (db, { tokenHash, now }: { tokenHash: string; now: number }) =>
    livingLinks(db, 'reset_password', now)
      .innerJoin('users', 'users.id', 'links.user_id')
      .select(['users.username', 'users.email', 'users.password_hash', 'users.must_change_password'])
      .where('links.token_hash', '=', tokenHash)
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
 * Uses the link up and gives its account the password. All sessions and all other links of the account end. Where
 * nobody had proved the address before, the second factors are removed too, since a stranger may have set them up
 * (docs/decisions/factors.md). The link of an operator proves no address (docs/decisions/passwords.md). Fails with
 * `link_invalid`.
 */
export const usePasswordReset = writeOperation(
  'passwords.use_password_reset',
  async (db, reset: Reset, engine): Promise<void> => {
    const { newHash, provesAddress, sendsMail, now, origin } = reset;
    await lockAccountsOf(db, reset.tokenHash, engine);
    const { account } = await useAccountLink(db, 'reset_password', reset);
    const userId = account.id;
    const isProvedNow = provesAddress && account.email_verified_at === null;
    const verifiedAt = isProvedNow ? now : account.email_verified_at;
    await db
      .updateTable('users')
      .set({ password_hash: newHash, must_change_password: 0, email_verified_at: verifiedAt })
      .where('id', '=', userId)
      .execute();
    if (isProvedNow) await resetFactors(db, { userId, since: 0, now, origin }, engine);
    const made = { event: 'password_reset', userId, account, sendsMail, now, origin } as const;
    await completeNewPassword(db, made, engine);
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

/**
 * Gives the account of the link a new password. Fails with `link_invalid`, or with `validation_failed`; the link then
 * still works.
 */
export async function resetPassword(
  parts: PasswordParts,
  { token, new_password }: { readonly token: string; readonly new_password: string },
  origin: Origin,
): Promise<void> {
  const tokenHash = hashOfToken(token);
  const account = await parts.store.read(findPasswordReset, { tokenHash, now: parts.clock() });
  if (!account) throw linkInvalid();
  requireUncommon(new_password, account, parts.passwordBlocklist, 'new_password');
  const asker = { source: origin.source, isKnown: true };
  // A demand ends all links, so this link came after the demand, and only this link changes the hash.
  const { password_hash, must_change_password } = account;
  if (must_change_password === 1 && (await parts.hashing.verify(password_hash, new_password, asker))) {
    // The admin demanded another password, because others may know the one that the account has.
    const message =
      'An admin requires a new password, and this is the one that your account has; choose another.';
    throw invalid([{ field: 'new_password', rule: 'new', message }]);
  }
  const newHash = await parts.hashing.hash(new_password, asker);
  await parts.store.write(usePasswordReset, {
    tokenHash,
    newHash,
    provesAddress: !token.startsWith(OPERATOR_LINK.prefix),
    sendsMail: parts.sendsMail,
    now: parts.clock(),
    origin,
  });
}
