import { endPending } from '../services/links/links.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { SessionEnd } from './tables.ts';

/** One session, several, or all of an account or all but one, those of programs too. */
type Which =
  | { readonly sessionId: string }
  | { readonly sessionIds: readonly string[] }
  | { readonly userId: number; readonly except?: string };

interface EndedSession {
  readonly sessionId: string;
  readonly userId: number;
}

/**
 * Ends sessions, and tells every instance when the write commits. A session that has ended already keeps its first reason.
 * With all sessions of an account, its pending links and sign-ins end too. Returns the sessions that ended now.
 */
export async function endSessions(
  db: Db,
  which: Which,
  { now, because }: { readonly now: number; readonly because: SessionEnd },
  engine: Engine,
): Promise<EndedSession[]> {
  const ended = await db
    .updateTable('sessions')
    .set({ ended_at: now, ended_because: because })
    .where((eb) => {
      if ('userId' in which) return eb('user_id', '=', which.userId).and('id', '!=', which.except ?? '');
      return eb('id', 'in', 'sessionId' in which ? [which.sessionId] : which.sessionIds);
    })
    .where('ended_at', 'is', null)
    .returning(['id as sessionId', 'user_id as userId'])
    .execute();
  if ('userId' in which) await endPending(db, which.userId);
  await announceEnd(db, ended, engine);
  return ended;
}

/** Announces the narrowest topic, so that an account that signs in and out again and again costs others no reads. */
async function announceEnd(
  db: Db,
  [first, ...others]: readonly EndedSession[],
  engine: Engine,
): Promise<void> {
  if (!first) return;
  const { sessionId, userId } = first;
  if (others.length === 0) await engine.announce(db, { topic: 'session', key: sessionId });
  else if (others.every((each) => each.userId === userId))
    await engine.announce(db, { topic: 'account', key: userId });
  else await engine.announce(db, 'anything');
}
