import { sql } from 'kysely';
import type { Caller } from '../domain/account.ts';
import { lockKeyWithin } from '../store/lock-key.ts';
import type { Db } from '../store/tables.ts';

/** A session and its account, without the role: an operation that decides by the role reads it itself. */
export type CallerKey = Pick<Caller, 'sessionId' | 'userId'>;

export interface LivingSession extends CallerKey {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Which account, and when its sessions are looked at. */
export type AccountSessions = Omit<LivingSession, 'sessionId'>;

/**
 * Selects sessions that live, with their accounts: the session has not ended, it is not past its absolute limit, and
 * the account is not disabled. The account is first in the join. So a lock on both takes the account first, as
 * disabling does, and two such writes cannot deadlock. The idle limit is that of the refresh token: an access token may
 * outlive it by its own few minutes.
 */
export function living(db: Db, { now }: Pick<LivingSession, 'now'>) {
  return db
    .selectFrom('users')
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .where('users.disabled_at', 'is', null)
    .where('sessions.ended_at', 'is', null)
    .where('sessions.absolute_expires_at', '>', now);
}

/** Selects this session and its account while the session lives. */
export function livingSession(db: Db, { sessionId, userId, now }: LivingSession) {
  return living(db, { now }).where('users.id', '=', userId).where('sessions.id', '=', sessionId);
}

/** Shares the lock of the account (`callerWrite`), as a condition: true where that is free. */
export const SHARES_ACCOUNT = {
  sqlite: (_userId: number) => sql<boolean>`1 = 1`,
  postgres: (userId: number) => sql<boolean>`
    pg_try_advisory_xact_lock_shared(${lockKeyWithin('account', sql`cast(${userId} as text)`)})`,
};

/** Selects what `findCaller` and a `callerWrite` read of a living session (`toCaller`). */
export function livingCaller(db: Db, session: LivingSession) {
  return livingSession(db, session).select([
    'users.username',
    'users.role',
    'users.second_factor',
    'sessions.scope',
  ]);
}

export type CallerRow = Awaited<ReturnType<ReturnType<typeof livingCaller>['execute']>>[number];

export function toCaller(row: CallerRow, { userId, sessionId }: CallerKey): Caller {
  const { username, role, scope, second_factor } = row;
  return { userId, sessionId, username, role, scope, hasSecondFactor: second_factor === 1 };
}

/**
 * Selects the living sessions of an account that can still be used or refreshed, and with them its personal access
 * tokens. The idle limit is never beyond the absolute one.
 */
export function livingSessions(db: Db, { userId, now }: AccountSessions) {
  return db
    .selectFrom('sessions')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('idle_expires_at', '>', now);
}

/** Selects the living sessions of an account that began with a sign-in. Those of programs are another list. */
export function livingSignIns(db: Db, account: AccountSessions) {
  return livingSessions(db, account).where('scope', 'is', null);
}
