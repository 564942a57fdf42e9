import { writeOperation } from '../store/operation.ts';
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
    const { id } = await db.insertInto('content').values(row).returning('id').executeTakeFirstOrThrow();
    await indexTags(db, id, item.tags);
    await engine.contentChanged(db, { id, title: item.title, content: item.content });
    return { id, ...row, author_name: item.author.username };
  },
);
