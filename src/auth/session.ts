import type { Caller } from '../domain/account.ts';
import { DAY_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { SessionEnd } from '../store/tables.ts';

/** A session that is not refreshed for this long ends (decisions 0006). */
export const IDLE_MS = 14 * DAY_MS;
/** A session ends this long after its login, however much it is used. */
export const ABSOLUTE_MS = 30 * DAY_MS;

const accountOfSession = statement((db, input: { sessionId: string; now: number }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.username', 'users.role'])
    .where('sessions.id', '=', input.sessionId)
    .where('sessions.ended_at', 'is', null)
    .where('sessions.absolute_expires_at', '>', input.now)
    .where('users.disabled_at', 'is', null),
);

/** Who a living session belongs to, or null once it has ended or its account is disabled. */
export const findCaller = readOperation(
  'auth.find_caller',
  async (db, input: { sessionId: string; now: number }): Promise<Caller | null> => {
    const [row] = await accountOfSession(db, input);
    if (!row) return null;
    return { userId: row.id, username: row.username, role: row.role, sessionId: input.sessionId };
  },
);

/** Ends the session on every instance; one that has ended already keeps its first reason. */
export const endSession = writeOperation(
  'auth.end_session',
  async (db, input: { sessionId: string; now: number; because: SessionEnd }, engine): Promise<void> => {
    await db
      .updateTable('sessions')
      .set({ ended_at: input.now, ended_because: input.because })
      .where('id', '=', input.sessionId)
      .where('ended_at', 'is', null)
      .execute();
    await engine.announce(db, { session: input.sessionId });
  },
);
