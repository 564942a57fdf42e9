import { sql } from 'kysely';
import { SEARCHED, type SearchedTexts } from '../content/fields.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { pairsIn, wordsOfItem } from './words-of-item.ts';

type TextsOfItem = SearchedTexts & { readonly id: number };

/** A merge has a cost of its own, even if it does little. */
const LEAST_PAGES = 8;
/** Pages of one step of a full merge, which takes about ten milliseconds. */
const FULL_MERGE_PAGES = 256;

/** Puts the words of items into the index, and replaces their earlier words. */
export async function putWords(db: Db, items: readonly TextsOfItem[]): Promise<void> {
  for (const { id, title: ofTitle, ...others } of items) {
    const [title, words] = [wordsOfItem({ title: ofTitle }), wordsOfItem(others)];
    await putItem(db, { id, title, words, pairs: pairsIn([title, words]) });
  }
}

const putItem = statement(
  (_, item: { id: number; title: string; words: string; pairs: string }) => sql`
    insert or replace into content_search (rowid, title, words, pairs)
    values (${item.id}, ${item.title}, ${item.words}, ${item.pairs})`,
);

export const removeWords = statement(
  (_, { id }: { id: number }) => sql`delete from content_search where rowid = ${id}`,
);

export async function removeAllWords(db: Db): Promise<void> {
  await sql`insert into content_search (content_search) values ('delete-all')`.execute(db);
}

/**
 * FTS5 adds what each transaction wrote as a new segment, and merges segments now and then. By default it merges some
 * hundred pages at once. So that is off (schema), and each round merges its share: one page for each KB of words is
 * enough, because a word is merged about three times until it is in a large segment.
 */
export async function mergeShare(db: Db, items: readonly TextsOfItem[]): Promise<void> {
  const units = items
    .flatMap((item) => SEARCHED.map((name) => item[name].length + 1))
    .reduce((a, b) => a + b, 0);
  await merge(db, { pages: Math.max(LEAST_PAGES, Math.ceil(units / 1024)) });
}

/** After this call `mergeOn` merges all segments into one. Only a full merge removes all words of removed items. */
export async function beginFullMerge(db: Db): Promise<void> {
  await merge(db, { pages: -FULL_MERGE_PAGES });
}

/** Continues a full merge. Resolves with false when it is done. */
export async function mergeOn(db: Db): Promise<boolean> {
  const before = await changesSoFar(db);
  await merge(db, { pages: FULL_MERGE_PAGES });
  // https://sqlite.org/fts5.html#the_merge_command: a merge that does nothing makes fewer than two changes.
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
