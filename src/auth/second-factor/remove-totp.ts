import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { type MfaRequired, mustHaveSecondFactor } from '../../domain/second-factor.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { spendBudget } from '../../services/throttle/account-budget.ts';
import { settleFactors } from '../factors.ts';
import { tellOwner } from '../tell-owner.ts';
import { FACTOR_CHANGES } from './guesses.ts';
import { totp, totpSecretOf } from './totp-secrets.ts';

interface Removal extends CallerInput {
  readonly mfaRequired: MfaRequired;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Turns the authenticator app of the caller off, and tells the owner. Fails with `recent_sign_in_required`,
 * `too_many_requests`, `not_found`, or
 * `forbidden` where it is the last factor of an account that must have one.
 */
export const removeTotp = ownAccountWrite(
  'auth.remove_totp',
  async (db, input: Removal, { userId, role, sessionId }, engine): Promise<void> => {
    const { mfaRequired, sendsMail, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await spendBudget(db, FACTOR_CHANGES, userId, now);
    if (!(await totpSecretOf(db, userId, 'on'))) throw notFound('authenticator app');
    await totp.remove(db, userId, 0);
    await settleFactors(db, userId, { mustHave: mustHaveSecondFactor(mfaRequired, role) });
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'totp_disabled', at: now, origin, ...who });
    await engine.publish(db, { key: sessionId });
    await tellOwner(db, { userId, template: 'totp_disabled', sendsMail, now, origin }, engine);
  },
);
