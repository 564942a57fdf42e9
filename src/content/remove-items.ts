import type { Db } from '../store/tables.ts';
import { removeHistoryOf } from './remove-versions.ts';

/** Deletes items for good, which the write has locked. A job removes their versions a moment later. */
export async function removeItems(db: Db, ids: readonly number[]): Promise<void> {
  await removeHistoryOf(db, ids);
  await db.deleteFrom('content').where('id', 'in', ids).execute();
}
