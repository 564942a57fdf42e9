import type { Caller } from '../domain/account.ts';
import type { Db } from '../store/tables.ts';

/** A session and its account. The role is not here: whatever decides by the role reads it in the same operation. */
export type CallerKey = Pick<Caller, 'sessionId' | 'userId'>;

export interface LivingSession extends CallerKey {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Selects the session and its account while the session lives: it has not ended, it is not past its absolute
 * limit, and the account is not disabled. The account stands first in the join, so that a lock on both takes the
 * account first, as disabling does: in one order, two writes cannot deadlock.
 */
export function livingSession(db: Db, { sessionId, userId, now }: LivingSession) {
  return db
    .selectFrom('users')
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .where('users.id', '=', userId)
    .where('users.disabled_at', 'is', null)
    .where('sessions.id', '=', sessionId)
    .where('sessions.ended_at', 'is', null)
    .where('sessions.absolute_expires_at', '>', now);
}

/** Selects the living sessions of an account, and with them its personal access tokens. */
export function livingSessions(db: Db, { userId, now }: Omit<LivingSession, 'sessionId'>) {
  return db
    .selectFrom('sessions')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('idle_expires_at', '>', now);
}

/** Selects the living sessions of an account that began with a sign-in. Those of programs are another list. */
export function livingSignIns(db: Db, account: Omit<LivingSession, 'sessionId'>) {
  return livingSessions(db, account).where('scope', 'is', null);
}
