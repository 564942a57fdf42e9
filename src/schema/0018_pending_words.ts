import type { Migration } from '../store/migration.ts';

/**
 * On PostgreSQL new words wait in the pending list of the GIN index, until a job moves them into it (decisions 0066).
 * None of these statements reads or writes a row of the tables.
 *
 * - The limit of the pending list is what 3,000 new items of a kilobyte need. Only where the job does not come for
 *   seconds, an insert that finds the list longer moves the words itself.
 * - No statement asks for statistics about words, and to make them costs seconds at each 10 % of new items.
 * - The queue has a thousand rows a second that come and go. Those that went are to be cleared at every look of
 *   autovacuum, without a rest, because whoever looks for the oldest row passes over them.
 */
export const pendingWords: Migration = {
  name: '0018_pending_words',
  statements: ({ engine }) => (engine === 'postgres' ? POSTGRES : []),
};

const POSTGRES = [
  'ALTER INDEX content_search_words SET (fastupdate = on, gin_pending_list_limit = 8192)',
  'ALTER INDEX content_search_words ALTER COLUMN 1 SET STATISTICS 0',
  'ALTER TABLE content_search ALTER COLUMN words SET STATISTICS 0',
  `ALTER TABLE content_search_queue SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
  )`,
];
