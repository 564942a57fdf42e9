import { endSessions } from '../accounts/end-sessions.ts';
import { type LivingSession, livingSession } from '../accounts/living-session.ts';
import type { Caller } from '../domain/account.ts';
import { DAY_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { SessionEnd } from '../store/tables.ts';

/** A session that is not refreshed for this long ends (decisions 0006). */
export const IDLE_MS = 14 * DAY_MS;
/** A session ends this long after its login, however much it is used. */
export const ABSOLUTE_MS = 30 * DAY_MS;

const accountOfSession = statement((db, input: LivingSession) =>
  livingSession(db, input).select(['users.username', 'users.role']),
);

/** The caller behind a living session of that account, or null where there is none. */
export const findCaller = readOperation(
  'auth.find_caller',
  async (db, input: LivingSession): Promise<Caller | null> => {
    const [account] = await accountOfSession(db, input);
    if (!account) return null;
    const { username, role } = account;
    return { userId: input.userId, username, role, sessionId: input.sessionId };
  },
);

/** Ends the session on every instance. */
export const endSession = writeOperation(
  'auth.end_session',
  (db, { sessionId, ...end }: { sessionId: string; now: number; because: SessionEnd }, engine) =>
    endSessions(db, { sessionId }, end, engine),
);
