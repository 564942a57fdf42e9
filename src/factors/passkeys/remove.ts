import { notFound } from '../../domain/failure.ts';
import { mustHaveSecondFactor } from '../../domain/second-factor.ts';
import { ownAccountWrite } from '../../sessions/caller-write.ts';
import { requireRecentSignIn } from '../../sessions/recent-sign-in.ts';
import { settleFactors } from '../factors.ts';
import { noteOwnChange, type OwnRemoval } from '../own-change.ts';

/**
 * Removes a passkey of the caller, and tells the owner. Fails with `recent_sign_in_required`, with `not_found` where
 * the caller has no such passkey, and with `forbidden` where it is the last factor of an account that must have one.
 */
export const removePasskey = ownAccountWrite(
  'factors.remove_passkey',
  async (db, input: OwnRemoval & { readonly id: string }, caller, engine): Promise<void> => {
    const { userId, role, sessionId } = caller;
    const { id, mfaRequired, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    const removed = await db
      .deleteFrom('passkeys')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning('id')
      .executeTakeFirst();
    if (!removed) throw notFound('passkey');
    const mustHave = mustHaveSecondFactor(mfaRequired, role);
    await settleFactors(db, userId, { mustHave, origin }, engine);
    await noteOwnChange(db, 'passkey_removed', input, caller, engine);
  },
);
