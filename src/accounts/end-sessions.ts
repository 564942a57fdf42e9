import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { SessionEnd } from './tables.ts';

/**
 * Ends one session, several, or all of an account except one, and tells every instance when the write commits. A session
 * that has ended already keeps its first reason. Returns the id of an account for each session that ended now.
 */
export async function endSessions(
  db: Db,
  which:
    | { readonly sessionId: string }
    | { readonly sessionIds: readonly string[] }
    | { readonly userId: number; readonly except?: string },
  { now, because }: { readonly now: number; readonly because: SessionEnd },
  engine: Engine,
): Promise<number[]> {
  const ended = await db
    .updateTable('sessions')
    .set({ ended_at: now, ended_because: because })
    .where((eb) => {
      if ('userId' in which) return eb('user_id', '=', which.userId).and('id', '!=', which.except ?? '');
      return eb('id', 'in', 'sessionId' in which ? [which.sessionId] : which.sessionIds);
    })
    .where('ended_at', 'is', null)
    .returning('user_id')
    .execute();
  await engine.publish(db, 'sessionId' in which ? { key: which.sessionId } : 'anything');
  return ended.map(({ user_id }) => user_id);
}
