import type { Caller } from '../domain/account.ts';
import { accountAsker } from '../domain/admission/fair-queue.ts';
import type { Origin } from '../domain/origin.ts';
import { recordChange, recordEvent } from '../services/audit/record.ts';
import { endSomePending } from '../services/links/links.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import { endSessions } from './end.ts';
import { type CallerKey, type LivingSession, living, livingCaller, toCaller } from './living-session.ts';

const livingCallers = statement(livingCaller);

/** The caller behind a living session of that account, or null where there is none. */
export const findCaller = readOperation(
  'sessions.find_caller',
  async (db, input: LivingSession): Promise<Caller | null> => {
    const [account] = await livingCallers(db, input);
    return account ? toCaller(account, input) : null;
  },
);

/**
 * The callers behind those of the sessions that live, for a few hundred of them. A session that was not refreshed for
 * too long does not count: what asks here sends no access token, which would end by itself.
 */
export const findCallers = readOperation(
  'sessions.find_callers',
  async (db, { sessionIds, now }: { sessionIds: readonly string[]; now: number }): Promise<Caller[]> => {
    const rows = await living(db, { now })
      .select(['users.id as userId', 'users.username', 'users.role', 'users.second_factor'])
      .select(['sessions.id as sessionId', 'sessions.scope'])
      .where('sessions.id', 'in', sessionIds)
      .where('sessions.idle_expires_at', '>', now)
      .execute();
    return rows.map((row) => toCaller(row, row));
  },
);

const ownerOf = statement((db, input: { sessionId: string }) =>
  db.selectFrom('sessions').select('user_id').where('id', '=', input.sessionId),
);

/** The id of the account of a session, also of one that has ended; undefined where there is no such session. */
export const findOwner = readOperation(
  'sessions.find_owner',
  async (db, sessionId: string): Promise<number | undefined> =>
    (await ownerOf(db, { sessionId }))[0]?.user_id,
);

/** Ends the session on every instance, as its holder asked. */
export const endSession = writeOperation(
  'sessions.end_session',
  async (
    db,
    { sessionId, userId, now, origin }: CallerKey & { now: number; origin: Origin | null },
    engine,
  ): Promise<void> => {
    await engine.lock(db, `account ${userId}`);
    const [ended] = await endSessions(db, { sessionId }, { now, because: 'logout' }, engine);
    if (!ended) return;
    const actor = { actorId: ended.userId, sessionId };
    await recordChange(db, 'signed_out', ended.userId, { now, origin, actor });
  },
  { askerOf: accountAsker, turns: 'exclusive' },
);

/**
 * Ends the next sessions, in the order of their ids, on every instance. There may be a million, so it takes a part at a
 * time. Returns the last id that was looked at; null at the end.
 */
export const endSomeSessions = writeOperation(
  'sessions.end_some_sessions',
  async (db, input: { after: string; limit: number; now: number }, engine): Promise<string | null> => {
    const living = await db
      .selectFrom('sessions')
      .select('id')
      .where('id', '>', input.after)
      .where('ended_at', 'is', null)
      .orderBy('id')
      .limit(input.limit)
      .execute();
    const sessionIds = living.map(({ id }) => id);
    const last = sessionIds.at(-1);
    if (last === undefined) return null;
    const { now } = input;
    const ended = await endSessions(db, { sessionIds }, { now, because: 'logout' }, engine);
    const detail = { sessions: String(ended.length), because: 'operator' };
    await recordEvent(db, { event: 'sessions_ended', at: now, origin: null, detail });
    return last;
  },
);

/** Ends some of what could still be completed without a session, on every account. True where more may be left. */
export const endSomePendingOfAll = writeOperation(
  'sessions.end_some_pending',
  (db, { limit }: { limit: number }): Promise<boolean> => endSomePending(db, limit),
);

const sessionOfPersonalToken = statement((db, input: { tokenHash: string }) =>
  db
    .selectFrom('personal_tokens')
    .innerJoin('sessions', 'sessions.id', 'personal_tokens.session_id')
    .select(['sessions.id as sessionId', 'sessions.user_id as userId'])
    .where('personal_tokens.token_hash', '=', input.tokenHash),
);

/** Whose session a personal access token is, by its hash; null for one that we do not know. */
export const findPersonalToken = readOperation(
  'sessions.find_personal_token',
  async (db, input: { tokenHash: string }): Promise<CallerKey | null> =>
    (await sessionOfPersonalToken(db, input))[0] ?? null,
);
