import { adminWrite } from '../accounts/admin-write.ts';
import { type CallerInput, callerWrite, ownAccountWrite } from '../accounts/caller-write.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import { livingSessions, livingSignIns } from '../accounts/living-session.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import { byAdmin } from '../domain/by.ts';
import { notFound } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { AuthParts } from './parts.ts';

interface Revocation extends CallerInput {
  readonly origin: Origin;
}

/** What an admin ends: a session, or a personal access token, which is one too. */
export interface UserRevocation extends Revocation {
  readonly userId: number;
  readonly id: string;
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
    await endSignIn(db, { userId, id, now }, engine);
    const who = { accountId: userId, actorId: userId, sessionId: id };
    await recordEvent(db, { event: 'session_revoked', at: now, origin, ...who });
  },
);

/** Ends one session of any account, for an admin. Fails with `not_found` and `recent_sign_in_required`. */
export const revokeUserSession = adminWrite(
  'auth.revoke_user_session',
  async (db, input: UserRevocation, caller, engine): Promise<void> => {
    const { userId, id, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    await lockAccount(db, userId, now);
    await endSignIn(db, { userId, id, now }, engine);
    const { origin, actor } = byAdmin(input, caller);
    const detail = { session: id };
    await recordEvent(db, { event: 'session_revoked', at: now, origin, accountId: userId, ...actor, detail });
  },
);

async function endSignIn(
  db: Db,
  { userId, id, now }: Pick<UserRevocation, 'userId' | 'id' | 'now'>,
  engine: Engine,
): Promise<void> {
  const session = livingSignIns(db, { userId, now }).select('id').where('id', '=', id);
  if (!(await session.executeTakeFirst())) throw notFound('session');
  await endSessions(db, { sessionId: id }, { now, because: 'logout' }, engine);
}

/**
 * Ends all other sessions of the caller's account; returns their ids. Personal access tokens end too, as they do wherever
 * all sessions of an account end (decisions 0051).
 */
export const revokeOtherSessions = ownAccountWrite(
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
