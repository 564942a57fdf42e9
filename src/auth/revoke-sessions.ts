import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import { livingSessions, livingSignIns } from '../accounts/living-session.ts';
import { notFound } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { AuthParts } from './parts.ts';

interface Revocation extends CallerInput {
  readonly origin: Origin;
}

/** Ends one session of the caller's account. Fails with `not_found` where the caller has no such living session. */
export const revokeSession = callerWrite(
  'auth.revoke_session',
  async (
    db,
    { id, now, origin }: Revocation & { readonly id: string },
    { userId },
    engine,
  ): Promise<void> => {
    const session = livingSignIns(db, { userId, now }).select('id').where('id', '=', id);
    if (!(await session.executeTakeFirst())) throw notFound('session');
    await endSessions(db, { sessionId: id }, { now, because: 'logout' }, engine);
    const who = { accountId: userId, actorId: userId, sessionId: id };
    await recordEvent(db, { event: 'session_revoked', at: now, origin, ...who });
  },
);

/**
 * Ends all other sessions of the caller's account; returns their ids. Personal access tokens end too, as they do wherever
 * all sessions of an account end (decisions 0051).
 */
export const revokeOtherSessions = callerWrite(
  'auth.revoke_other_sessions',
  async (db, { now, origin }: Revocation, { userId, sessionId }, engine): Promise<string[]> => {
    const others = await livingSessions(db, { userId, now })
      .select('id')
      .where('id', '!=', sessionId)
      .execute();
    const sessionIds = others.map(({ id }) => id);
    if (sessionIds.length === 0) return [];
    const ended = await endSessions(db, { sessionIds }, { now, because: 'logout' }, engine);
    const detail = { sessions: String(ended.length), because: 'all others' };
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'sessions_ended', at: now, origin, ...who, detail });
    return ended.map((each) => each.sessionId);
  },
);

/** Ends one session: refused here when this resolves, and by every other instance within a second. */
export async function revokeOne(
  parts: AuthParts,
  revocation: Revocation & { readonly id: string },
): Promise<void> {
  await parts.store.write(revokeSession, revocation);
  parts.authenticator.forget({ key: revocation.id });
}

/** Ends all others in the same way; returns how many. */
export async function revokeOthers(parts: AuthParts, revocation: Revocation): Promise<number> {
  const ended = await parts.store.write(revokeOtherSessions, revocation);
  for (const key of ended) parts.authenticator.forget({ key });
  return ended.length;
}
