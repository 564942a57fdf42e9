import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import {
  type PersonalData,
  REMOVING,
  type Removal,
  type SectionPage,
  type SectionRequest,
} from '../accounts/personal-data.ts';
import { isoTime } from '../domain/time.ts';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** One write has this many items at most, and about so many bytes of text: SQLite writes a whole item anew. */
const ITEMS = 100;
const BYTES = 1024 * 1024;
/** The same of one page of an export. */
const PAGE_ITEMS = 50;
const PAGE_BYTES = 256 * 1024;

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
  return items.slice(0, itemsWithin(items, BYTES, ITEMS)).map(({ id }) => id);
}

/** How many of the items have so many bytes together at most: one at least, however long it is. */
function itemsWithin(items: readonly { readonly bytes: number }[], most: number, mostItems: number): number {
  let bytes = 0;
  const tooMany = items.findIndex((item, index) => {
    bytes += item.bytes;
    return index === mostItems || (index > 0 && bytes > most);
  });
  return tooMany === -1 ? items.length : tooMany;
}

/**
 * The items of an account: the hidden ones, and then those that everybody may see. A page has items of one kind, so that
 * the database finds its beginning in the index, however far back it is.
 */
export const exportContent = readOperation(
  'content.export',
  async (db, { userId, after: [kind = 0, after = 0] }: SectionRequest): Promise<SectionPage> => {
    const visible = kind === 0 ? 0 : 1;
    const rows = await db
      .selectFrom('content')
      .select(['id', sql<number>`octet_length(content)`.as('bytes')])
      .where('author_id', '=', userId)
      .where('visible', '=', visible)
      .where('id', '>', Number(after))
      .orderBy('id')
      .limit(PAGE_ITEMS + 1)
      .execute();
    const ids = rows.slice(0, itemsWithin(rows, PAGE_BYTES, PAGE_ITEMS)).map(({ id }) => id);
    const items = await itemsOf(db, ids);
    if (ids.length < rows.length) return { items, next: [visible, ids.at(-1) ?? 0] };
    return visible === 0 ? { items, next: [1] } : { items };
  },
);

async function itemsOf(db: Db, ids: readonly number[]): Promise<object[]> {
  if (ids.length === 0) return [];
  const items = await db
    .selectFrom('content')
    .select(['id', 'title', 'content', 'category', 'tags', 'version', 'created_at', 'updated_at'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  return items.map(toExported);
}

interface Exported {
  readonly tags: string;
  readonly created_at: number;
  readonly updated_at: number;
}

function toExported({ tags, created_at, updated_at, ...rest }: Exported): object {
  const times = { created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
  return { ...rest, tags: JSON.parse(tags), ...times };
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
