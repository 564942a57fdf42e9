import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { SessionEnd } from './tables.ts';

/** Some sessions, or those of an account: one of its own, all, or all but one. */
type Which =
  | { readonly sessionId: string; readonly userId?: number }
  | { readonly sessionIds: readonly string[] }
  | { readonly userId: number; readonly except?: string };

export interface EndedSession {
  readonly sessionId: string;
  readonly userId: number;
}

/**
 * Ends one session, several, or those of an account, and tells every instance when the write commits. A session
 * that has ended already keeps its first reason. Returns the sessions that ended now.
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
    .where('ended_at', 'is', null)
    .$call((query) => {
      if ('sessionIds' in which) return query.where('id', 'in', which.sessionIds);
      if (!('sessionId' in which)) {
        const ofAccount = query.where('user_id', '=', which.userId);
        return which.except === undefined ? ofAccount : ofAccount.where('id', '!=', which.except);
      }
      const one = query.where('id', '=', which.sessionId);
      return which.userId === undefined ? one : one.where('user_id', '=', which.userId);
    })
    .returning(['id as sessionId', 'user_id as userId'])
    .execute();
  await publishEnd(db, ended, engine);
  return ended;
}

/** One session by its own name: whoever signs in and out again and again makes no instance forget all sessions. */
async function publishEnd(
  db: Db,
  [first, ...others]: readonly EndedSession[],
  engine: Engine,
): Promise<void> {
  if (!first) return;
  await engine.publish(db, others.length === 0 ? { key: first.sessionId } : 'anything');
}
