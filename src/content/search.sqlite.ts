import { sql } from 'kysely';
import type { Term } from '../domain/words.ts';
import type { IdSet } from '../store/id-set.ts';
import { statement } from '../store/statement.ts';
import type { ContentSearch } from './search-index.ts';

/** The words of content in FTS5 (https://sqlite.org/fts5.html): an index without the text itself. */
export const sqliteSearch: ContentSearch = {
  matching(terms): IdSet {
    return sql`select rowid as id from content_search where content_search match ${queryOf(terms)}`;
  },

  async put(db, items) {
    for (const { id, title, content } of items)
      await putWords(db, { id, title: title.join(' '), content: content.join(' ') });
  },
};

const putWords = statement(
  (_, item: { id: number; title: string; content: string }) => sql`
    insert or replace into content_search (rowid, title, content) values (${item.id}, ${item.title}, ${item.content})`,
);

/** Words are letters, marks and digits, so nothing in them means something to FTS5. */
function queryOf(terms: readonly Term[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}
