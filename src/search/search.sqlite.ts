import { sql } from 'kysely';
import { shortPairsOf, type Term } from '../domain/words.ts';
import { whileInTime } from '../store/deadline.ts';
import type { IdSet } from '../store/id-set.ts';
import { indexProgress, indexSome, isUntidy, nextTurns, tidyIndex } from './index-words.sqlite.ts';
import type { ContentSearch } from './search-index.ts';

/**
 * The words of content in FTS5 (https://sqlite.org/fts5.html), in the file of derived data
 * (docs/decisions/lists-and-search.md).
 */
export const sqliteSearch: ContentSearch = {
  /**
   * The index may still have items that were deleted or hidden a moment ago. So each result is checked in
   * `content_visible`. Without the name of that index SQLite would read the items themselves.
   */
  matching(terms, where): IdSet {
    const query = `${pairsOf(terms)}${where === 'title' ? 'title : ' : ''}(${queryOf(terms)})`;
    return sql`select rowid as id from content_search where content_search match ${query}
      and exists (select 1 from content indexed by content_visible where id = content_search.rowid and visible = 1)
      and ${whileInTime(sql`rowid`)}`;
  },
  indexSome,
  nextTurns,
  progress: indexProgress,
  isUntidy,
  tidy: tidyIndex,
};

/** Words are letters, marks and digits, which have no special meaning in FTS5. */
function queryOf(terms: readonly Term[]): string {
  return terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ');
}

/** FTS5 looks for a phrase in each item that has all of its words. By the pairs it looks in far fewer. */
function pairsOf(terms: readonly Term[]): string {
  const pairs = terms.flatMap(({ words, isPrefix }) => shortPairsOf(isPrefix ? words.slice(0, -1) : words));
  return pairs.length === 0 ? '' : `pairs : (${pairs.map((pair) => `"${pair}"`).join(' AND ')}) AND `;
}
