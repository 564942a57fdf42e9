import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { type MfaRequired, mustHaveSecondFactor } from '../../domain/second-factor.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { settleFactors } from '../factors.ts';
import { tellOwner } from '../tell-owner.ts';

interface Removal extends CallerInput {
  readonly id: string;
  readonly mfaRequired: MfaRequired;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Removes a passkey of the caller, and tells the owner. Fails with `recent_sign_in_required`, with `not_found` where the caller has no such, and
 * with `forbidden` where it is the last factor of an account that must have one.
 */
export const removePasskey = ownAccountWrite(
  'auth.remove_passkey',
  async (db, input: Removal, { userId, role, sessionId }, engine): Promise<void> => {
    const { id, mfaRequired, sendsMail, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    const removed = await db
      .deleteFrom('passkeys')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning('id')
      .executeTakeFirst();
    if (!removed) throw notFound('passkey');
    await settleFactors(db, userId, { mustHave: mustHaveSecondFactor(mfaRequired, role) });
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'passkey_removed', at: now, origin, ...who });
    await engine.publish(db, { key: sessionId });
    await tellOwner(db, { userId, template: 'passkey_removed', sendsMail, now, origin }, engine);
  },
);
