import { sql } from 'kysely';
import { DELETED_ACCOUNT } from '../../accounts/deleted-account.ts';
import { exportedContent } from '../../content/fields.ts';
import { readOperation } from '../../store/operation.ts';
import { rowsAfter } from '../../store/pages.ts';
import { rowsWithin } from '../../store/rows-within.ts';
import type { Db } from '../../store/tables.ts';

/** One page has at most this many items, and about this many bytes of text. */
const ITEMS = 100;
const BYTES = 1024 * 1024;

/** An item as an export has it: its members by their names, and its author. */
export interface ExportedItem {
  readonly id: number;
  readonly members: Readonly<Record<string, unknown>>;
  /** Undefined where the account of the author was removed. */
  readonly author: { readonly username: string; readonly email: string } | undefined;
}

/** All items but those in the trash, whoever may see them. */
function present(db: Db) {
  return db.selectFrom('content').where('trashed_at', 'is', null);
}

/** The highest id of an item, also of one in the trash, or 0. To count millions takes longer than a read may. */
export const lastItem = readOperation('transfer.last_item', async (db, _: null): Promise<number> => {
  const last = await db.selectFrom('content').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return last?.id ?? 0;
});

/** How many items have a draft beside what is published. No export has these drafts. */
export const countDraftsBeside = readOperation(
  'transfer.count_drafts_beside',
  async (db, _: null): Promise<number> => {
    const { drafts } = await present(db)
      .innerJoin('content_drafts', 'content_drafts.content_id', 'content.id')
      .select((eb) => eb.fn.countAll<number>().as('drafts'))
      .executeTakeFirstOrThrow();
    return Number(drafts);
  },
  () => true,
);

/** The next items after an id, by id; none at the end. */
export const exportItems = readOperation(
  'transfer.export_items',
  async (db, after: number): Promise<ExportedItem[]> => {
    const sizes = present(db).select(['id', sql<number>`octet_length(content)`.as('bytes')]);
    const { rows } = await rowsAfter(sizes, { key: 'id', after, most: ITEMS });
    const ids = rowsWithin(rows, BYTES).map(({ id }) => id);
    if (ids.length === 0) return [];
    const items = await db
      .selectFrom('content')
      .innerJoin('users', 'users.id', 'content.author_id')
      .select(exportedContent.columns.map((name) => `content.${name}` as const))
      .select(['users.username as author_name', 'users.email as author_email'])
      .where('content.id', 'in', ids)
      .orderBy('content.id')
      .execute();
    return items.map(({ author_name: username, author_email: email, ...row }) => ({
      id: row.id,
      members: { ...exportedContent.toItem(row) },
      author: username === DELETED_ACCOUNT ? undefined : { username, email },
    }));
  },
  () => true,
);
