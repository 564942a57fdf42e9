import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import {
  type PersonalData,
  pageOfItems,
  type Removal,
  type SectionRequest,
} from '../services/personal-data.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db } from '../store/tables.ts';
import { exportedContent } from './fields.ts';
import { removeVersions } from './remove-versions.ts';

/** One write has at most this many items, and about this many bytes of text, because SQLite rewrites a whole item. */
const ITEMS = 100;
const BYTES = 1024 * 1024;

/**
 * Deletes some items of a closed account, or gives them to "deleted account", as its owner chose. What is in the trash or
 * not published is deleted either way. A draft that an editor saved beside a kept item stays: it is that editor's work.
 */
export const removeAuthor = writeOperation(
  'content.remove_author',
  async (db, { userId, content, now }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const unwanted = await someItems(db, userId, content === 'keep' ? 'unpublished' : 'any');
    if (unwanted.length > 0) return removeSome(db, unwanted);
    const kept = content === 'keep' ? await someItems(db, userId, 'published') : [];
    if (kept.length === 0) return false;
    const author_id = await deletedAccount(db, now);
    const drafts = db.deleteFrom('content_drafts').where('saved_by', '=', userId);
    await drafts.where('content_id', 'in', kept).execute();
    await db.updateTable('content').set({ author_id }).where('id', 'in', kept).execute();
    return true;
  },
  { isBackground: true },
);

/** Deletes some versions of these items, or the items where they have none. */
async function removeSome(db: Db, ids: readonly number[]): Promise<true> {
  const withVersions = await db
    .selectFrom('content_versions')
    .select('content_id as id')
    .where('content_id', 'in', ids)
    .limit(1)
    .executeTakeFirst();
  if (withVersions) await removeVersions(db, withVersions.id);
  else {
    await db.deleteFrom('content').where('id', 'in', ids).execute();
    // An editor may have changed one meanwhile.
    await db.updateTable('content_history_due').set({ due_at: 0 }).where('content_id', 'in', ids).execute();
  }
  return true;
}

const isUnpublished = sql<boolean>`(trashed_at is not null or status = 'draft')`;
type Which = 'any' | 'published' | 'unpublished';

/** At least one, even if it is long; none of another kind, also where a write changes it meanwhile. Empty if none is left. */
async function someItems(db: Db, userId: number, which: Which): Promise<number[]> {
  const items = await db
    .selectFrom('content')
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .where('author_id', '=', userId)
    .$if(which === 'published', (query) => query.where('visible', '=', 1))
    .$if(which === 'unpublished', (query) => query.where('visible', '=', 0).where(isUnpublished))
    .orderBy('visible')
    .orderBy('id')
    .limit(ITEMS)
    .forUpdate()
    .execute();
  return rowsWithin(items, BYTES).map(({ id }) => id);
}

/** The items of an account. */
export const exportContent = readOperation('content.export', async (db, request: SectionRequest) => {
  const own = db
    .selectFrom('content')
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .where('author_id', '=', request.userId);
  return pageOfItems(request, own, (ids) => itemsOf(db, ids));
});

async function itemsOf(db: Db, ids: readonly number[]): Promise<object[]> {
  const items = await db
    .selectFrom('content')
    .select(exportedContent.columns)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  return items.map(exportedContent.toItem);
}

export const contentPersonalData: PersonalData = {
  removals: [removeAuthor],
  sections: [
    {
      name: 'content',
      description: 'The content items that the account wrote.',
      tables: ['content'],
      read: exportContent,
    },
  ],
};
