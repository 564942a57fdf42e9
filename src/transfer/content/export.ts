import { sql } from 'kysely';
import { DELETED_ACCOUNT } from '../../accounts/deleted-account.ts';
import { exportedContent } from '../../content/fields.ts';
import { membersOfDraft } from '../../drafts/members.ts';
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
  readonly author: Login | undefined;
  /** The draft beside a published item. */
  readonly draft?: Readonly<Record<string, unknown>> | undefined;
}

interface Login {
  readonly username: string;
  readonly email: string;
}

function loginOf({ username, email }: Login): Login | undefined {
  return username === DELETED_ACCOUNT ? undefined : { username, email };
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

/** The next items after an id, by id; none at the end. */
export const exportItems = readOperation(
  'transfer.export_items',
  async (db, after: number): Promise<ExportedItem[]> => {
    const sizes = present(db)
      .leftJoin('content_drafts', 'content_drafts.content_id', 'content.id')
      .select(['id', sql<number>`octet_length(content) + coalesce(octet_length(written), 0)`.as('bytes')]);
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
    const [drafts, slugs] = [await draftsOf(db, ids), await oldSlugsOf(db, ids)];
    return items.map(({ author_name: username, author_email: email, ...row }) => ({
      id: row.id,
      members: { ...exportedContent.toItem(row), old_slugs: slugs.get(row.id)?.map(({ slug }) => slug) },
      author: loginOf({ username, email }),
      draft: drafts.get(row.id),
    }));
  },
  () => true,
);

/** The former slugs of these items, the oldest first, by their items. */
async function oldSlugsOf(db: Db, ids: readonly number[]) {
  const slugs = await db
    .selectFrom('content_old_slugs')
    .select(['content_id', 'slug'])
    .where('content_id', 'in', ids)
    .orderBy('replaced_at')
    .orderBy('slug')
    .execute();
  return Map.groupBy(slugs, ({ content_id }) => content_id);
}

/** The drafts beside these items, by their items. */
async function draftsOf(db: Db, ids: readonly number[]) {
  const drafts = await db
    .selectFrom('content_drafts')
    .innerJoin('users', 'users.id', 'content_drafts.saved_by')
    .select(['content_id', 'over_version', 'written', 'publish_at', 'saved_at', 'username', 'email'])
    .where('content_id', 'in', ids)
    .execute();
  return new Map(
    drafts.map(({ content_id, over_version, username, email, ...draft }) => [
      content_id,
      { ...membersOfDraft(draft), over_version, saved_by: loginOf({ username, email }) },
    ]),
  );
}
