import { sql } from 'kysely';
import { type Term, wordsOf } from '../domain/words.ts';
import { whileInTime } from '../store/deadline.ts';
import type { IdSet } from '../store/id-set.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ContentSearch, TextOfItem } from './search-index.ts';

/** A merge has a cost of its own, however little it does. */
const LEAST_PAGES = 8;

/** The words of content in FTS5 (https://sqlite.org/fts5.html): an index without the text itself. */
export const sqliteSearch: ContentSearch = {
  matching(terms): IdSet {
    return sql`select rowid as id from content_search where content_search match ${queryOf(terms)}
      and ${whileInTime(sql`rowid`)}`;
  },
};

/** Puts the words of items into the index, in place of those that they had there. */
export async function putWords(db: Db, items: readonly TextOfItem[]): Promise<void> {
  const all = items.map(({ id, title, content }) => ({
    id,
    title: joined(title),
    content: joined(content),
  }));
  for (const words of all) await putItem(db, words);
  await merge(db, { pages: pagesToMerge(all) });
}

/**
 * FTS5 adds what each transaction wrote as one more part of the index, and merges parts now and then. Left to
 * itself it merges some hundred pages at once, so that is off (schema), and each round does its share:
 * a page for each KB of words keeps up, as a word is merged about three times until it is in a large part.
 */
const merge = statement(
  (_, input: { pages: number }) => sql`
    insert into content_search (content_search, rank) values ('merge', ${input.pages})`,
);

function pagesToMerge(items: readonly TextOfItem[]): number {
  const units = items.reduce((sum, { title, content }) => sum + title.length + content.length + 2, 0);
  return Math.max(LEAST_PAGES, Math.ceil(units / 1024));
}

function joined(text: string): string {
  return wordsOf(text).join(' ');
}

const putItem = statement(
  (_, item: TextOfItem) => sql`
    insert or replace into content_search (rowid, title, content) values (${item.id}, ${item.title}, ${item.content})`,
);

/** Words are letters, marks and digits, so nothing in them means something to FTS5. */
function queryOf(terms: readonly Term[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}
