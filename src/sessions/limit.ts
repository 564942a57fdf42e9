import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Engine } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { endSessions } from './end.ts';
import { type AccountSessions, livingSignIns } from './living-session.ts';

const livingSessions = statement((db, account: AccountSessions) =>
  livingSignIns(db, account).select('id').orderBy('created_at', 'desc').orderBy('id'),
);

/** The newest ended sessions, which an account keeps. Their tokens are answered as those of a session that ended. */
const ENDED_KEPT = 50;
/** Ended sessions that one sign-in removes at most: more than one sign-in leaves. */
const BATCH = 100;

const removeEnded = statement((db, { userId }: { readonly userId: number }) => {
  const others = db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost(BATCH))
    .offset(atMost(ENDED_KEPT));
  return db.deleteFrom('sessions').where('id', 'in', others);
});

/**
 * Makes room for one more session of an account, which then has `most` at most: those that began first end, and those
 * that ended long ago are removed. Called inside the write that begins a session, which has locked the account.
 */
export async function makeRoomForSession(
  db: Db,
  { userId, now, most, origin }: AccountSessions & { readonly most: number; readonly origin: Origin | null },
  engine: Engine,
): Promise<void> {
  await removeEnded(db, { userId });
  const living = await livingSessions(db, { userId, now });
  const sessionIds = living.slice(most - 1).map(({ id }) => id);
  if (sessionIds.length === 0) return;
  await endSessions(db, { sessionIds }, { now, because: 'logout' }, engine);
  const detail = { sessions: String(sessionIds.length), because: 'too many' };
  await recordEvent(db, { event: 'sessions_ended', at: now, origin, accountId: userId, detail });
}
