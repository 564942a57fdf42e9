import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import { type PersonalData, REMOVING, type Removal } from '../accounts/personal-data.ts';
import { type Engine, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** One write has this many items at most, and about so many bytes of text: SQLite writes a whole item anew. */
const ITEMS = 100;
const BYTES = 1024 * 1024;

/** Deletes some items of an account, or hands them to "deleted account", as the account was closed. */
export const removeAuthor = writeOperation(
  'content.remove_author',
  async (db, removal: Removal, engine): Promise<boolean> => {
    const ids = await someItems(db, removal.userId, engine);
    if (ids.length === 0) return false;
    if (removal.content === 'delete') {
      await db.deleteFrom('content').where('id', 'in', ids).execute();
    } else {
      const author_id = await deletedAccount(db, removal.now);
      await db.updateTable('content').set({ author_id }).where('id', 'in', ids).execute();
    }
    return true;
  },
  { isBackground: true },
);

/** At least one, however long it is; none where there is none. */
async function someItems(db: Db, userId: number, engine: Engine): Promise<number[]> {
  await engine.lock(db, REMOVING);
  const items = await db
    .selectFrom('content')
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .where('author_id', '=', userId)
    .orderBy('visible')
    .orderBy('id')
    .limit(ITEMS)
    .execute();
  let bytes = 0;
  const tooMany = items.findIndex((item, index) => {
    bytes += item.bytes;
    return index > 0 && bytes > BYTES;
  });
  return items.slice(0, tooMany === -1 ? items.length : tooMany).map(({ id }) => id);
}

export const contentPersonalData: PersonalData = { removals: [removeAuthor] };
