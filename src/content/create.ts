import type { Insertable } from 'kysely';
import { writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Tables } from '../store/tables.ts';
import type { ContentRow } from './contract.ts';
import { indexTags } from './tags.ts';

interface NewItem {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly author: { readonly id: number; readonly username: string };
  readonly now: number;
}

const insertContent = statement((db, row: Required<Omit<Insertable<Tables['content']>, 'id'>>) =>
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

/** Creates an item and returns its row. */
export const createContent = writeOperation(
  'content.create',
  async (db, item: NewItem, engine): Promise<ContentRow> => {
    const row = {
      title: item.title,
      content: item.content,
      category: item.category,
      tags: JSON.stringify(item.tags),
      version: 1,
      author_id: item.author.id,
      created_at: item.now,
      updated_at: item.now,
    };
    const [inserted] = await insertContent(db, row);
    if (!inserted) throw new Error('An insert returned no id.');
    const { id } = inserted;
    await indexTags(db, id, item.tags);
    await engine.contentChanged(db, { id, title: item.title, content: item.content });
    return { id, ...row, author_name: item.author.username };
  },
);
