import type { Db } from '../store/tables.ts';

/** Writes the tags of an item into the index that filtering uses. */
export async function indexTags(db: Db, contentId: number, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  await db
    .insertInto('content_tags')
    .values(tags.map((tag) => ({ tag, content_id: contentId })))
    .execute();
}
