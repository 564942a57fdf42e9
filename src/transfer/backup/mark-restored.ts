import { randomBytes } from 'node:crypto';
import type { MoveEnd } from '../../store/move-end.ts';
import { recall, remember } from '../progress.ts';

const STEP = 'restored';

/**
 * Gives the prepared target an id that no database had, and notes that its rows are those of a backup. Does nothing
 * when a restore continues. `now` is in milliseconds since 1970.
 */
export async function markRestored(target: MoveEnd, now: number): Promise<void> {
  if ((await recall(target.db, STEP)) !== undefined) return;
  const id = randomBytes(16).toString('hex');
  await target.transaction(async (db) => {
    await db.updateTable('database_id').set({ id, restored_at: now }).execute();
    await remember(db, STEP, String(now));
  });
}
