import { sql } from 'kysely';
import type { Term } from '../domain/words.ts';
import { whileInTime } from '../store/deadline.ts';
import type { IdSet } from '../store/id-set.ts';
import { indexProgress, indexSome, tidyIndex } from './index-words.sqlite.ts';
import type { ContentSearch } from './search-index.ts';

/** The words of content in FTS5 (https://sqlite.org/fts5.html), in the file of what is derived (decisions 0067). */
export const sqliteSearch: ContentSearch = {
  /**
   * The index may still have items that were deleted or hidden a moment ago. So `content_visible` is asked for each of
   * those found; without its name SQLite would read the items themselves.
   */
  matching(terms): IdSet {
    return sql`select rowid as id from content_search where content_search match ${queryOf(terms)}
      and exists (select 1 from content indexed by content_visible where id = content_search.rowid and visible = 1)
      and ${whileInTime(sql`rowid`)}`;
  },
  indexSome,
  progress: indexProgress,
  tidy: tidyIndex,
};

/** Words are letters, marks and digits, so nothing in them means something to FTS5. */
function queryOf(terms: readonly Term[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}
