import type { Migration } from '../store/migration.ts';

/**
 * On PostgreSQL the words of the title get a column and an index of their own, for the order of relevance. On SQLite they
 * are a column of the index of words, which is made again (derived.ts).
 *
 * - PostgreSQL makes the column of `words`, which has the title's words before the first "|". So no writer has to know it.
 * - `MAIN` keeps it in its row: a phrase in the title is looked for there, and the words of the whole item are elsewhere
 *   (0027_narrow_word_rows.ts).
 * - As with all words, new ones wait in a pending list, and no plan needs statistics about them (0018_pending_words.ts).
 */
export const titleWords: Migration = {
  name: '0036_title_words',
  effect: {
    sqlite: {
      does: 'Changes no table; the index of words is made again.',
      stops: 'nothing',
      later: 'A job indexes the words of all items; searches are complete when it is done.',
    },
    postgres: {
      does: 'Adds the words of titles to the search index, which writes its table again.',
      stops: { content_search: 'all' },
      reads: ['content_search'],
    },
  },
  statements: ({ engine }) => (engine === 'sqlite' ? [] : POSTGRES),
};

const POSTGRES = [
  `ALTER TABLE content_search ADD COLUMN title TEXT COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (rtrim(split_part(words, '|', 1))) STORED`,
  'ALTER TABLE content_search ALTER title SET STORAGE MAIN',
  `CREATE INDEX content_search_titles ON content_search
    USING gin (array_to_tsvector(string_to_array(title, ' '))) WITH (fastupdate = on, gin_pending_list_limit = 1024)`,
  'ALTER INDEX content_search_titles ALTER COLUMN 1 SET STATISTICS 0',
];
