import type { Caller } from '../domain/account.ts';
import type { Db } from '../store/tables.ts';

/** Whose session it is, without what its account may do: that is read where it is decided by. */
export type CallerKey = Pick<Caller, 'sessionId' | 'userId'>;

export interface LivingSession extends CallerKey {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The session and its account, while the session lives: not ended, not past its absolute limit, and the
 * account not disabled. The account stands first, so that a lock on both takes it first, as disabling does.
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
