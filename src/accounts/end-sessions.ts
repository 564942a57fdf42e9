import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { SessionEnd } from './tables.ts';

/**
 * Ends one session, or all of an account, and tells every instance when the write commits. A session that
 * has ended already keeps its first reason. Returns whose sessions they were, one id for each that ended now.
 */
export async function endSessions(
  db: Db,
  which: { readonly sessionId: string } | { readonly userId: number },
  { now, because }: { readonly now: number; readonly because: SessionEnd },
  engine: Engine,
): Promise<number[]> {
  const isOne = 'sessionId' in which;
  const ended = await db
    .updateTable('sessions')
    .set({ ended_at: now, ended_because: because })
    .where((eb) => (isOne ? eb('id', '=', which.sessionId) : eb('user_id', '=', which.userId)))
    .where('ended_at', 'is', null)
    .returning('user_id')
    .execute();
  await engine.publish(db, isOne ? { key: which.sessionId } : 'anything');
  return ended.map(({ user_id }) => user_id);
}
