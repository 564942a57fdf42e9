import { notFound } from '../../domain/failure.ts';
import { mustHaveSecondFactor } from '../../domain/second-factor.ts';
import { spend } from '../../services/limits/shared.ts';
import { ownAccountWrite } from '../../sessions/caller-write.ts';
import { requireRecentSignIn } from '../../sessions/recent-sign-in.ts';
import { settleFactors } from '../factors.ts';
import { noteOwnChange, type OwnRemoval } from '../own-change.ts';
import { totp, totpSecretOf } from './code.ts';

/**
 * Turns the authenticator app of the caller off, and tells the owner. Fails with `recent_sign_in_required`,
 * `too_many_requests`, `not_found`, or `forbidden` where it is the last factor of an account that must have one.
 */
export const removeTotp = ownAccountWrite(
  'factors.remove_totp',
  async (db, input: OwnRemoval, caller, engine): Promise<void> => {
    const { userId, role, sessionId } = caller;
    const { mfaRequired, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await spend(db, 'factor_change', userId, now);
    if (!(await totpSecretOf(db, userId, 'on'))) throw notFound('authenticator app');
    await totp.remove(db, userId, 0);
    const mustHave = mustHaveSecondFactor(mfaRequired, role);
    await settleFactors(db, userId, { mustHave, origin }, engine);
    await noteOwnChange(db, 'totp_disabled', input, caller, engine);
  },
);
