import { forbidden } from '../../domain/failure.ts';
import { spend } from '../../services/limits/shared.ts';
import { ownAccountWrite } from '../../sessions/caller-write.ts';
import { requireRecentSignIn } from '../../sessions/recent-sign-in.ts';
import { noteOwnChange, type OwnChange } from '../own-change.ts';
import { replaceRecoveryCodes } from './codes.ts';

/**
 * Gives the caller new recovery codes, which replace all earlier ones, and tells the owner. Fails with
 * `recent_sign_in_required` and `too_many_requests`, and with `forbidden` where the account has no second factor.
 */
export const createRecoveryCodes = ownAccountWrite(
  'factors.create_recovery_codes',
  async (
    db,
    input: OwnChange & { readonly codeHashes: readonly string[] },
    caller,
    engine,
  ): Promise<void> => {
    const { userId, sessionId, hasSecondFactor } = caller;
    const { codeHashes, now } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await spend(db, 'factor_change', userId, now);
    if (!hasSecondFactor) throw forbidden('Recovery codes stand in for a second factor; set one up first.');
    await replaceRecoveryCodes(db, userId, codeHashes);
    await noteOwnChange(db, 'recovery_codes_created', input, caller, engine);
  },
);
