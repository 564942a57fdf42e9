import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

/**
 * On PostgreSQL new words wait in the pending list of the GIN index, until a job moves them into the index
 * (docs/decisions/lists-and-search.md). These statements read and write no rows, so they are quick on a large table.
 *
 * - The pending list has room for the words of about 3,000 items of a kilobyte. The limit is in kilobytes. An insert
 *   that finds a longer list moves the words itself, which happens only if the job is seconds late.
 * - No plan depends on statistics about words, and each ANALYZE would take seconds to make them.
 */
export const pendingWords: Migration = {
  name: '0018_pending_words',
  effect: { sqlite: NOT_HERE, postgres: { does: 'Lets new words wait outside of the search index.' } },
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? []
      : [
          'ALTER INDEX content_search_words SET (fastupdate = on, gin_pending_list_limit = 8192)',
          'ALTER INDEX content_search_words ALTER COLUMN 1 SET STATISTICS 0',
        ],
};
