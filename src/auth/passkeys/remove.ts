import { type CallerInput, callerWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';

interface Removal extends CallerInput {
  readonly id: string;
  readonly origin: Origin;
}

/** Removes a passkey of the caller. Fails with `recent_sign_in_required`, or `not_found` where the caller has no such. */
export const removePasskey = callerWrite(
  'auth.remove_passkey',
  async (db, { id, now, origin }: Removal, { userId, sessionId }): Promise<void> => {
    await requireRecentSignIn(db, { sessionId, now });
    const removed = await db
      .deleteFrom('passkeys')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning('id')
      .executeTakeFirst();
    if (!removed) throw notFound('passkey');
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'passkey_removed', at: now, origin, ...who });
  },
);
