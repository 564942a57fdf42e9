import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

/**
 * On PostgreSQL the words of an item are kept out of its row in `content_search`. A search reads the row of each match,
 * and needs only its id. With the words in it, a row has a kilobyte, so a search of 5,000 matches read 5,000 pages.
 *
 * PostgreSQL moves a long value out of a row only if the row has more than 2 KB, whatever `toast_tuple_target` says
 * (https://www.postgresql.org/docs/current/storage-toast.html). The padding makes every new row that long. It is
 * compressed to some 40 bytes, so a row is left with a hundred.
 */
export const narrowWordRows: Migration = {
  name: '0027_narrow_word_rows',
  effect: {
    sqlite: NOT_HERE,
    postgres: {
      does: 'Copies the words of content into narrower rows, and makes their search index again.',
      stops: { content_search: 'all', content: 'all' },
      reads: ['content_search'],
    },
  },
  statements: ({ engine }) => (engine === 'sqlite' ? [] : POSTGRES),
};

const POSTGRES = [
  `CREATE TABLE narrow (
    content_id BIGINT NOT NULL,
    words TEXT COLLATE "C" NOT NULL,
    padding TEXT NOT NULL DEFAULT repeat(' ', 2048)
  ) WITH (toast_tuple_target = 128)`,
  'ALTER TABLE narrow ALTER words SET STORAGE EXTERNAL',
  'INSERT INTO narrow (content_id, words) SELECT content_id, words FROM content_search',
  'DROP TABLE content_search',
  'ALTER TABLE narrow RENAME TO content_search',
  `ALTER TABLE content_search ADD PRIMARY KEY (content_id),
    ADD FOREIGN KEY (content_id) REFERENCES content (id) ON DELETE CASCADE`,
  `CREATE INDEX content_search_words ON content_search
    USING gin (array_to_tsvector(string_to_array(words, ' '))) WITH (fastupdate = on, gin_pending_list_limit = 8192)`,
  'ALTER INDEX content_search_words ALTER COLUMN 1 SET STATISTICS 0',
];
