import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import { notFound } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { livingPersonalTokens } from './list-personal-tokens.ts';
import type { AuthParts } from './parts.ts';

interface Revocation extends CallerInput {
  readonly id: string;
  readonly origin: Origin;
}

/** Revokes a token of the caller's account. Fails with `not_found` where the caller has no such living token. */
export const revokePersonalToken = callerWrite(
  'auth.revoke_personal_token',
  async (db, { id, now, origin }: Revocation, { userId }, engine): Promise<void> => {
    const token = livingPersonalTokens(db, { userId, now }).select('id').where('id', '=', id);
    if (!(await token.executeTakeFirst())) throw notFound('personal access token');
    await endSessions(db, { sessionId: id }, { now, because: 'logout' }, engine);
    // Cleaning removes it a day from now, not a day after the end that it would have had.
    await db.updateTable('sessions').set({ absolute_expires_at: now }).where('id', '=', id).execute();
    const who = { accountId: userId, actorId: userId, sessionId: id };
    await recordEvent(db, { event: 'personal_token_revoked', at: now, origin, ...who });
  },
);

/** Revokes a token: refused here when this resolves, and by every other instance within a second. */
export async function revokeToken(parts: AuthParts, revocation: Revocation): Promise<void> {
  await parts.store.write(revokePersonalToken, revocation);
  parts.authenticator.forget({ key: revocation.id });
}
