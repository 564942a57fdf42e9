import { sql } from 'kysely';
import type { Term } from '../domain/words.ts';
import { indexProgress, indexSome, tidyIndex } from './index-words.postgres.ts';
import type { ContentSearch } from './search-index.ts';

/**
 * The words of content in PostgreSQL: the text of all words in their order, and a GIN index over it as a
 * `tsvector` without positions. With positions a `tsvector` knows 255 places of a word and 16,383 in all
 * (https://www.postgresql.org/docs/current/textsearch-limitations.html), and GIN has none of them. So words in
 * a row are looked up as words, and the text of what has them decides.
 */
export const postgresSearch: ContentSearch = {
  async prepare(db) {
    // For each page of the pending list the planner thinks better of reading the whole table, which makes the words
    // of each text anew.
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(db);
  },

  matching(terms) {
    const inARow = terms
      .filter(({ words }) => words.length > 1)
      .map((term) => sql`and strpos(' ' || words || ' ', ${textOf(term)}) > 0`);
    // Behind a select the query is unknown to the planner, which then takes the index. Where it knew that nearly
    // all items have a word, it read the whole table and made the words of each text anew: a hundred times as long.
    return sql`select content_id as id from content_search
      where array_to_tsvector(string_to_array(words, ' ')) @@ (select ${queryOf(terms)}::tsquery)
      ${sql.join(inARow, sql` `)}`;
  },
  indexSome,
  progress: indexProgress,
  tidy: tidyIndex,
};

/** Words are letters, marks and digits, so none needs an escape. */
function queryOf(terms: readonly Term[]): string {
  return terms
    .flatMap(({ words, isPrefix }) =>
      words.map((word, at) => `'${word}'${isPrefix && at === words.length - 1 ? ':*' : ''}`),
    )
    .join(' & ');
}

function textOf({ words, isPrefix }: Term): string {
  return ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
}
