import { sql } from 'kysely';
import type { Term } from '../domain/words.ts';
import { indexProgress, indexSome, nextTurns, tidyIndex } from './index-words.postgres.ts';
import type { ContentSearch } from './search-index.ts';

/**
 * The words of content in PostgreSQL: the text of all words in order, and a GIN index over this text as a `tsvector`
 * without positions. A `tsvector` with positions has at most 255 of a word and 16,383 in all
 * (https://www.postgresql.org/docs/current/textsearch-limitations.html), and GIN has none. So a phrase is looked up by
 * its words, and then checked in the text. The words of the title have a column and an index of their own (step 0036).
 */
export const postgresSearch: ContentSearch = {
  async prepare(db) {
    // The longer the pending list, the more the planner prefers to read the whole table, which makes the words of each
    // text again.
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(db);
  },

  matching(terms, where) {
    const text = sql.ref(where);
    const inARow = terms
      .filter(({ words }) => words.length > 1)
      .map((term) => sql`and strpos(' ' || ${text} || ' ', ${textOf(term)}) > 0`);
    // Inside a select the planner does not know the query, and uses the index. If it knew that nearly all items have a
    // word, it would read the whole table and make the words of each text again, which takes a hundred times as long.
    return sql`select content_id as id from content_search
      where array_to_tsvector(string_to_array(${text}, ' ')) @@ (select ${queryOf(terms)}::tsquery)
      ${sql.join(inARow, sql` `)}`;
  },
  indexSome,
  nextTurns,
  progress: indexProgress,
  // Only the database knows whether the pending list has words.
  isUntidy: async () => true,
  tidy: tidyIndex,
};

/** Words are letters, marks and digits, which need no escape. */
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
