import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

const insertTag = statement((db, input: { tag: string; contentId: number }) =>
  db.insertInto('content_tags').values({ tag: input.tag, content_id: input.contentId }),
);

/** Writes the tags of an item into the index that filtering uses. */
export async function indexTags(db: Db, contentId: number, tags: readonly string[]): Promise<void> {
  for (const tag of tags) await insertTag(db, { tag, contentId });
}
