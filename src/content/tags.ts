import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

type TagRows = { readonly contentId: number } & Readonly<Record<`tag${number}`, string>>;

/** One statement for each number of tags, so that those of an item cross to the database together. */
const inserts = new Map<number, ReturnType<typeof insertOf>>();

function insertOf(count: number) {
  return statement((db, rows: TagRows) =>
    db.insertInto('content_tags').values(
      Array.from({ length: count }, (_, at) => ({
        tag: rows[`tag${at}`] ?? '',
        content_id: rows.contentId,
      })),
    ),
  );
}

/** Writes the tags of an item into the index that filtering uses. */
export async function indexTags(db: Db, contentId: number, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  let insert = inserts.get(tags.length);
  if (!insert) {
    insert = insertOf(tags.length);
    inserts.set(tags.length, insert);
  }
  const named = Object.fromEntries(tags.map((tag, at) => [`tag${at}`, tag]));
  await insert(db, { contentId, ...named });
}

/** Takes the tags of an item out of the index: all that it has. */
export async function unindexTags(db: Db, contentId: number, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  await db.deleteFrom('content_tags').where('tag', 'in', tags).where('content_id', '=', contentId).execute();
}
