import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import type { PersonalData, Removal, SectionPage, SectionRequest } from '../services/personal-data.ts';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import { rowsAfter } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import { exportedContent } from './fields.ts';
import { removeVersions } from './old-versions.ts';
import { rowsWithin } from './rows-within.ts';

/** One write has at most this many items, and about this many bytes of text, because SQLite rewrites a whole item. */
const ITEMS = 100;
const BYTES = 1024 * 1024;
/** The same for one page of an export. */
const PAGE_ITEMS = 50;
const PAGE_BYTES = 256 * 1024;

/** Deletes some items of a closed account, or gives them to "deleted account", as its owner chose. */
export const removeAuthor = writeOperation(
  'content.remove_author',
  async (db, removal: Removal, engine): Promise<boolean> => {
    const ids = await someItems(db, removal.userId, engine);
    if (ids.length === 0) return false;
    if (removal.content === 'delete') {
      const withVersions = await db
        .selectFrom('content_versions')
        .select('content_id as id')
        .where('content_id', 'in', ids)
        .limit(1)
        .executeTakeFirst();
      if (withVersions) return removeVersions(db, withVersions.id);
      await db.deleteFrom('content').where('id', 'in', ids).execute();
      // An editor may have changed one meanwhile.
      await db.updateTable('content_history_due').set({ due_at: 0 }).where('content_id', 'in', ids).execute();
    } else {
      const author_id = await deletedAccount(db, removal.now);
      await db.updateTable('content').set({ author_id }).where('id', 'in', ids).execute();
    }
    return true;
  },
  { isBackground: true },
);

/** At least one, even if it is long. Empty if no item is left. */
async function someItems(db: Db, userId: number, engine: Engine): Promise<number[]> {
  await engine.lock(db, 'removing accounts');
  const items = await db
    .selectFrom('content')
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .where('author_id', '=', userId)
    .orderBy('visible')
    .orderBy('id')
    .limit(ITEMS)
    .execute();
  return rowsWithin(items, BYTES).map(({ id }) => id);
}

/**
 * The items of an account: first the hidden ones, then those that everybody may see. A page has items of one kind, so
 * that the database finds its beginning in the index at any depth.
 */
export const exportContent = readOperation(
  'content.export',
  async (db, { userId, after: [kind = 0, after = 0] }: SectionRequest): Promise<SectionPage> => {
    const visible = kind === 0 ? 0 : 1;
    const own = db
      .selectFrom('content')
      .select(['id', sql<number>`octet_length(content)`.as('bytes')])
      .where('author_id', '=', userId)
      .where('visible', '=', visible);
    const { rows, next } = await rowsAfter(own, { key: 'id', after, most: PAGE_ITEMS });
    const ids = rowsWithin(rows, PAGE_BYTES).map(({ id }) => id);
    const items = await itemsOf(db, ids);
    if (next || ids.length < rows.length) return { items, next: [visible, ids.at(-1) ?? 0] };
    return visible === 0 ? { items, next: [1] } : { items };
  },
);

async function itemsOf(db: Db, ids: readonly number[]): Promise<object[]> {
  if (ids.length === 0) return [];
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
