import { byCaller } from '../domain/by.ts';
import { notFound } from '../domain/failure.ts';
import { recordChange } from '../services/audit/record.ts';
import { endPending } from '../services/links/links.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { type Asked, ownAccountWrite } from './caller-write.ts';
import { endSessions } from './end.ts';
import { type AccountSessions, livingSessions, livingSignIns } from './living-session.ts';

/** A session of an account, or a personal access token, which is one too. */
export interface OneSession extends AccountSessions {
  readonly id: string;
}

/** Ends one session of the caller's account. Fails with `not_found` where the caller has no such living session. */
export const revokeSession = ownAccountWrite(
  'sessions.revoke_session',
  async (db, input: Asked & { readonly id: string }, { userId }, engine): Promise<void> => {
    const { id, now } = input;
    await endSignIn(db, { userId, id, now }, engine);
    await recordChange(db, 'session_revoked', userId, byCaller(input, { userId, sessionId: id }));
  },
);

/** Ends a living session of an account. Fails with `not_found`. */
export async function endSignIn(db: Db, { userId, id, now }: OneSession, engine: Engine): Promise<void> {
  const session = livingSignIns(db, { userId, now }).select('id').where('id', '=', id);
  // Locked: of two writes that end it at once, the second finds none.
  if (!(await session.forNoKeyUpdate().executeTakeFirst())) throw notFound('session');
  await endSessions(db, { sessionId: id }, { now, because: 'logout' }, engine);
}

/**
 * Ends all other sessions of the caller's account; returns how many. Personal access tokens end too, as they do wherever
 * all sessions of an account end (docs/decisions/sessions.md), and what a thief's session has begun.
 */
export const revokeOtherSessions = ownAccountWrite(
  'sessions.revoke_other_sessions',
  async (db, input: Asked, caller, engine): Promise<number> => {
    const { userId, sessionId } = caller;
    const { now } = input;
    await endPending(db, userId);
    const living = livingSessions(db, { userId, now }).select('id');
    const others = await living.where('id', '!=', sessionId).execute();
    const sessionIds = others.map(({ id }) => id);
    if (sessionIds.length === 0) return 0;
    const { length } = await endSessions(db, { sessionIds }, { now, because: 'logout' }, engine);
    const detail = { sessions: String(length), because: 'all others' };
    await recordChange(db, 'sessions_ended', userId, byCaller(input, caller), detail);
    return length;
  },
);
