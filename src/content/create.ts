import { type NewContentRow, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { ContentRow } from './contract.ts';

interface NewItem {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly author: { readonly id: number; readonly username: string };
  readonly now: number;
}

const insertRow = statement((db, row: NewContentRow) =>
  db
    .insertInto('content')
    .values({
      title: row.title,
      content: row.content,
      category: row.category,
      tags: row.tags,
      version: row.version,
      author_id: row.author_id,
      created_at: row.created_at,
      updated_at: row.updated_at,
    })
    .returning('id'),
);

function rowOf(item: NewItem): NewContentRow {
  return {
    title: item.title,
    content: item.content,
    category: item.category,
    tags: JSON.stringify(item.tags),
    version: 1,
    author_id: item.author.id,
    created_at: item.now,
    updated_at: item.now,
  };
}

/** Creates an item; only its id comes back, since the caller has the rest. */
export const createContent = writeOperation(
  'content.create',
  async (db, item: NewItem, engine): Promise<{ id: number }> => {
    const row = rowOf(item);
    const inserted = engine.insertContent
      ? await engine.insertContent(db, row)
      : (await insertRow(db, row))[0];
    if (!inserted) throw new Error('An insert returned no id.');
    return inserted;
  },
  { isOneStatement: true },
);

/** Creates an item and returns its row. */
export async function create(store: Store, item: NewItem): Promise<ContentRow> {
  const { id } = await store.write(createContent, item);
  return { id, ...rowOf(item), author_name: item.author.username };
}
