import { type Failure, invalid, tokenRevoked } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { spend } from '../services/limits/shared.ts';
import { readAllowance } from '../services/limits/wrong-passwords.ts';
import { ownAccountWrite } from '../sessions/caller-write.ts';
import type { CallerKey } from '../sessions/living-session.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { readOperation } from '../store/operation.ts';
import { completeNewPassword } from './new-password.ts';
import type { PasswordParts } from './parts.ts';
import { refuseSignIn } from './prove.ts';
import { requireUncommon } from './rule.ts';

/** The account of a caller, and what the attempt may do. Wrong passwords count as at sign-in. */
export const findOwnAccount = readOperation(
  'passwords.find_own_account',
  async (db, { userId, source, now }: { userId: number; source: string; now: number }) => {
    const account = await db
      .selectFrom('users')
      .select(['username', 'email', 'password_hash'])
      .where('id', '=', userId)
      .executeTakeFirst();
    return { account, allowance: await readAllowance(db, { userId, login: '', source, now }) };
  },
);

interface Change {
  readonly caller: CallerKey;
  /** The hash that the current password was checked against. The change is made only if the account still has it. */
  readonly checkedHash: string;
  readonly newHash: string;
  readonly sendsMail: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Replaces the password, and ends all other sessions. False where another change came after the check. Fails with
 * `too_many_requests`, and with `recent_sign_in_required` where the account has a second factor.
 */
export const changeOwnPassword = ownAccountWrite(
  'passwords.change_own_password',
  async (db, input: Change, { userId, sessionId, hasSecondFactor }, engine): Promise<boolean> => {
    const { now, origin, sendsMail } = input;
    // Without a second factor, a new sign-in would prove no more than the password does here.
    if (hasSecondFactor) await requireRecentSignIn(db, { sessionId, now });
    const account = await db
      .updateTable('users')
      .set({ password_hash: input.newHash, must_change_password: 0 })
      .where('id', '=', userId)
      .where('password_hash', '=', input.checkedHash)
      .returning(['username', 'email'])
      .executeTakeFirst();
    if (!account) return false;
    await spend(db, 'password_change', userId, now);
    const made = { event: 'password_changed', userId, account, sessionId, sendsMail, now, origin } as const;
    await completeNewPassword(db, made, engine);
    return true;
  },
);

interface Passwords {
  readonly current_password: string;
  readonly new_password: string;
}

/**
 * Replaces the password of the caller, who must send the current one. A wrong one counts as at sign-in, so that nobody
 * guesses with a stolen access token. Fails with `validation_failed`, `too_many_requests` or `recent_sign_in_required`.
 */
export async function changePassword(
  parts: PasswordParts,
  caller: CallerKey,
  passwords: Passwords,
  origin: Origin,
): Promise<void> {
  const { source } = origin;
  const { userId } = caller;
  const look = () => parts.store.read(findOwnAccount, { userId, source, now: parts.clock() });
  const account = await parts.attempts.run(look, async ({ account: found, allowance }) => {
    if (!found) throw tokenRevoked();
    const { isKnown, left, charges } = allowance;
    const asker = { source, isKnown };
    if (await parts.hashing.verify(found.password_hash, passwords.current_password, asker)) return found;
    const refused = { accountId: userId, charges, isLastFree: left < 2, now: parts.clock(), origin };
    await parts.store.write(refuseSignIn, refused);
    throw wrongPassword();
  });
  requireUncommon(passwords.new_password, account, parts.passwordBlocklist, 'new_password');
  const changed = await parts.store.write(changeOwnPassword, {
    caller,
    checkedHash: account.password_hash,
    newHash: await parts.hashing.hash(passwords.new_password, { source, isKnown: true }),
    sendsMail: parts.sendsMail,
    now: parts.clock(),
    origin,
  });
  if (!changed) throw wrongPassword();
}

/** The status is not 401, which clients take for the end of their access token. */
function wrongPassword(): Failure {
  const message = 'The current password is wrong.';
  return invalid([{ field: 'current_password', rule: 'current', message }]);
}
