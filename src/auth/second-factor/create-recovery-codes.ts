import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { forbidden } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { spendBudget } from '../../services/throttle/account-budget.ts';
import { tellOwner } from '../tell-owner.ts';
import { FACTOR_CHANGES } from './guesses.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';

interface NewCodes extends CallerInput {
  readonly codeHashes: readonly string[];
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Gives the caller new recovery codes in the place of all before, and tells the owner. Fails with
 * `recent_sign_in_required` and `too_many_requests`, and with `forbidden` where there is no second factor that they could
 * stand in for.
 */
export const createRecoveryCodes = ownAccountWrite(
  'auth.create_recovery_codes',
  async (db, input: NewCodes, { userId, sessionId }, engine): Promise<void> => {
    const { codeHashes, sendsMail, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await spendBudget(db, FACTOR_CHANGES, userId, now);
    const account = await db
      .selectFrom('users')
      .select('second_factor')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    if (account.second_factor === 0)
      throw forbidden('Recovery codes stand in for a second factor; set one up first.');
    await replaceRecoveryCodes(db, userId, codeHashes);
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'recovery_codes_created', at: now, origin, ...who });
    await tellOwner(db, { userId, template: 'recovery_codes_created', sendsMail, now, origin }, engine);
  },
);
