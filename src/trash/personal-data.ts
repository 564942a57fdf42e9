import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import type { PersonalData, Removal } from '../services/personal-data.ts';
import { writeOperation } from '../store/operation.ts';
import { rowsWithin } from '../store/rows-within.ts';
import { selectTrash } from './find.ts';

/** One write changes this many rows at most, and about so many bytes of text: SQLite writes a whole row anew. */
const ROWS = 100;
const BYTES = 1024 * 1024;

/** What an account moved to the trash of others was moved there by "deleted account". */
export const removeTrasher = writeOperation(
  'trash.remove_trasher',
  async (db, { userId, now }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const items = await selectTrash(db)
      .select(['id', sql<number>`octet_length(content)`.as('bytes')])
      .where('trashed_by', '=', userId)
      .limit(ROWS)
      .execute();
    if (items.length === 0) return false;
    const ids = rowsWithin(items, BYTES).map(({ id }) => id);
    const trashed_by = await deletedAccount(db, now);
    const mine = db.updateTable('content').where('id', 'in', ids).where('trashed_by', '=', userId);
    await mine.set({ trashed_by }).execute();
    return true;
  },
  { isBackground: true },
);

/** What an account has in the trash is in the list of its items (content/personal-data.ts). */
export const trashPersonalData: PersonalData = { removals: [removeTrasher], sections: [] };
