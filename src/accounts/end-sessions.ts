import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { SessionEnd } from './tables.ts';

/**
 * Ends one session, or all of an account, and tells every instance when the write commits. A session that
 * has ended already keeps its first reason.
 */
export async function endSessions(
  db: Db,
  which: { readonly sessionId: string } | { readonly userId: number },
  { now, because }: { readonly now: number; readonly because: SessionEnd },
  engine: Engine,
): Promise<void> {
  const isOne = 'sessionId' in which;
  await db
    .updateTable('sessions')
    .set({ ended_at: now, ended_because: because })
    .where((eb) => (isOne ? eb('id', '=', which.sessionId) : eb('user_id', '=', which.userId)))
    .where('ended_at', 'is', null)
    .execute();
  await engine.publish(db, isOne ? { key: which.sessionId } : 'anything');
}
