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

/** The items of an account, hidden ones too. */
export const exportContent = readOperation(
  'content.export',
  async (db, { userId, after: [visible = 0, id = 0] }: SectionRequest): Promise<SectionPage> => {
    const rows = await db
      .selectFrom('content')
      .select(['id', 'visible', sql<number>`octet_length(content)`.as('bytes')])
      .where('author_id', '=', userId)
      .where(sql<boolean>`(visible, id) > (${visible}, ${id})`)
      .orderBy('visible')
      .orderBy('id')
      .limit(PAGE_ITEMS + 1)
      .execute();
    const few = rows.slice(0, itemsWithin(rows, PAGE_BYTES, PAGE_ITEMS));
    const last = few.at(-1);
    if (!last) return { items: [] };
    const items = await db
      .selectFrom('content')
      .select(['id', 'title', 'content', 'category', 'tags', 'version', 'created_at', 'updated_at'])
      .where(
        'id',
        'in',
        few.map((row) => row.id),
      )
      .orderBy('visible')
      .orderBy('id')
      .execute();
    const next = few.length < rows.length ? [last.visible, last.id] : undefined;
    return { items: items.map(toExported), next };
  },
);

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
