import type { Migration } from '../store/migration.ts';

/**
 * On PostgreSQL new words wait in the pending list of the GIN index, until a job moves them into it (decisions 0066).
 * These statements read and write no row of the tables, so they take no time on a large one.
 *
 * - The pending list has room for the words of some 3,000 items of a kilobyte, in kilobytes. Only where the job does not
 *   come for seconds, an insert that finds the list longer moves the words by itself.
 * - No plan depends on statistics about words, and each ANALYZE would take seconds to make them.
 */
export const pendingWords: Migration = {
  name: '0018_pending_words',
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? []
      : [
          'ALTER INDEX content_search_words SET (fastupdate = on, gin_pending_list_limit = 8192)',
          'ALTER INDEX content_search_words ALTER COLUMN 1 SET STATISTICS 0',
        ],
};
