import type { DerivedSchema } from '../store/migration.ts';

/**
 * What SQLite stores in a file of its own because it can be made again (docs/decisions/lists-and-search.md). This
 * schema has no steps: a change raises the version, and the next start makes the file again.
 *
 * - `content_search` has the words of visible items (domain/words.ts): those of the title, and those of the other texts,
 *   with "|" between two texts. A query without a column finds both. `pairs` has the pairs of short words, such as
 *   "of+the". The tokenizer only splits at spaces, because the words are made already. FTS5 must not merge by itself: each
 *   round of indexing merges in small steps.
 * - `content_search_state` describes the indexed items. It has no row before the first round.
 * - Its `database` is the one of `database_id`.
 * - All changes up to its `place` in `content_search_queue` are indexed.
 * - Its `seen` was the newest change at the last round, so the indexed texts are not older.
 * - Its `passed_over` has the changes up to `seen` that are not indexed yet, as a JSON array of ranges of places.
 * - Its `next_id` is set while all items are indexed again: those from this id on are still missing.
 * - Its `stale_since` is when the first item after the last full merge was changed or removed. Its old words stay in the
 *   index until the next full merge, and on the freed pages until these are used again. `is_merging` is 1 during a full
 *   merge.
 */
export const DERIVED: DerivedSchema = {
  version: 5,
  statements: [
    `CREATE VIRTUAL TABLE content_search USING fts5 (
      title, words, pairs, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '|+'"
    )`,
    "INSERT INTO content_search (content_search, rank) VALUES ('automerge', 0)",
    `CREATE TABLE content_search_state (
      only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
      database TEXT NOT NULL,
      place INTEGER NOT NULL,
      passed_over TEXT NOT NULL DEFAULT '[]',
      seen INTEGER NOT NULL,
      next_id INTEGER,
      stale_since INTEGER,
      is_merging INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
  ],
};
