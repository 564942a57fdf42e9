import { ownAccountWrite } from '../accounts/caller-write.ts';
import type { CallerKey } from '../accounts/living-session.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import { type Failure, invalid, tokenRevoked } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { type AccountBudget, perHour, spendBudget } from '../services/throttle/account-budget.ts';
import { readStanding } from '../services/throttle/standing.ts';
import { readOperation } from '../store/operation.ts';
import { refuseSignIn } from './login.ts';
import { completeNewPassword } from './new-password.ts';
import type { AuthParts } from './parts.ts';
import { requireUncommon } from './password-rule.ts';

/** The account of a caller, and how whoever sends its password stands: the same mistakes as those of sign-ins. */
export const findOwnAccount = readOperation(
  'auth.find_own_account',
  async (db, { userId, source, now }: { userId: number; source: string; now: number }) => {
    const account = await db
      .selectFrom('users')
      .select(['username', 'email', 'password_hash'])
      .where('id', '=', userId)
      .executeTakeFirst();
    return { account, standing: await readStanding(db, { userId, login: '', source, now }) };
  },
);

interface Change {
  readonly caller: CallerKey;
  /** The hash that the current password was checked against; the change is made only if it still stands. */
  readonly checkedHash: string;
  readonly newHash: string;
  readonly sendsMail: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/** Each makes all instances read the sessions of everybody anew. */
const CHANGES: AccountBudget = {
  kind: 'password_change',
  ...perHour(20),
  message: 'The password was changed too often; try again later.',
};

/**
 * Replaces the password, and ends all other sessions. False when it was replaced since the check. Fails with
 * `too_many_requests`, and with `recent_sign_in_required` where the account has a second factor.
 */
export const changeOwnPassword = ownAccountWrite(
  'auth.change_own_password',
  async (db, input: Change, { userId, sessionId, hasSecondFactor }, engine): Promise<boolean> => {
    const { now, origin, sendsMail } = input;
    // The password is all that such a sign-in takes where there is no second factor: asking for one would prove no more.
    if (hasSecondFactor) await requireRecentSignIn(db, { sessionId, now });
    const account = await db
      .updateTable('users')
      .set({ password_hash: input.newHash, must_change_password: 0 })
      .where('id', '=', userId)
      .where('password_hash', '=', input.checkedHash)
      .returning(['username', 'email'])
      .executeTakeFirst();
    if (!account) return false;
    await spendBudget(db, CHANGES, userId, now);
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
 * Replaces the password of the caller, who knows the current one. A wrong one counts as a mistake at sign-in, so that a
 * stolen access token is no way to guess. Fails with `validation_failed`, `too_many_requests` or `recent_sign_in_required`.
 */
export async function changePassword(
  parts: AuthParts,
  caller: CallerKey,
  passwords: Passwords,
  origin: Origin,
): Promise<void> {
  const { source } = origin;
  const { userId } = caller;
  const look = () => parts.store.read(findOwnAccount, { userId, source, now: parts.clock() });
  const account = await parts.attempts.run(look, async ({ account: found, standing }) => {
    if (!found) throw tokenRevoked();
    const { isKnown, debts } = standing;
    const asker = { source, isKnown };
    if (await parts.hashing.verify(found.password_hash, passwords.current_password, asker)) return found;
    const refused = { accountId: userId, debts, isLastFree: standing.free < 2, now: parts.clock(), origin };
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
  parts.authenticator.forget('anything');
}

/** Not 401: clients take that for the end of their access token. */
function wrongPassword(): Failure {
  const message = 'The current password is wrong.';
  return invalid([{ field: 'current_password', rule: 'current', message }]);
}
