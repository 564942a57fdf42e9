import { sql } from 'kysely';
import { wordsOf } from '../domain/words.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { TextOfItem } from './search-index.ts';

/** A merge has a cost of its own, however little it does. */
const LEAST_PAGES = 8;
/** Of a step of a full merge: some ten milliseconds. */
const FULL_MERGE_PAGES = 256;

/** Puts the words of items into the index, in place of those that they had there. */
export async function putWords(db: Db, items: readonly TextOfItem[]): Promise<void> {
  for (const { id, title, content } of items)
    await putItem(db, { id, title: joined(title), content: joined(content) });
}

const putItem = statement(
  (_, item: TextOfItem) => sql`
    insert or replace into content_search (rowid, title, content) values (${item.id}, ${item.title}, ${item.content})`,
);

function joined(text: string): string {
  return wordsOf(text).join(' ');
}

/** Takes an item out of the index, if it is there. */
export const removeWords = statement(
  (_, { id }: { id: number }) => sql`delete from content_search where rowid = ${id}`,
);

export async function removeAllWords(db: Db): Promise<void> {
  await sql`insert into content_search (content_search) values ('delete-all')`.execute(db);
}

/**
 * FTS5 adds what each transaction wrote as one more part of the index, and merges parts now and then. Left to
 * itself it merges some hundred pages at once, so that is off (schema), and each round does its share:
 * a page for each KB of words keeps up, as a word is merged about three times until it is in a large part.
 */
export async function mergeShare(db: Db, items: readonly TextOfItem[]): Promise<void> {
  const units = items.reduce((sum, { title, content }) => sum + title.length + content.length + 2, 0);
  await merge(db, { pages: Math.max(LEAST_PAGES, Math.ceil(units / 1024)) });
}

/** From now on `mergeOn` merges all parts into one. Only a merge of all parts leaves no word of what was removed. */
export async function beginFullMerge(db: Db): Promise<void> {
  await merge(db, { pages: -FULL_MERGE_PAGES });
}

/** Goes on with a full merge. Resolves with false when that is done. */
export async function mergeOn(db: Db): Promise<boolean> {
  const before = await changesSoFar(db);
  await merge(db, { pages: FULL_MERGE_PAGES });
  // https://sqlite.org/fts5.html#the_merge_command: one that does nothing makes fewer than two changes.
  return (await changesSoFar(db)) - before >= 2;
}

const merge = statement(
  (_, input: { pages: number }) => sql`
    insert into content_search (content_search, rank) values ('merge', ${input.pages})`,
);

async function changesSoFar(db: Db): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
}
