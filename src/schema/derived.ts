import type { DerivedSchema } from '../store/migration.ts';

/**
 * What SQLite keeps beside the database because it can be made again (decisions 0067). There are no steps: a change
 * raises the version, and the next start makes the file again.
 *
 * - `content_search` has the words of visible items (domain/words.ts). The tokenizer only parts the text at spaces,
 *   because the words are made already. FTS5 must not merge by itself: each round of indexing merges in small steps.
 * - `content_search_state` says which items those are. It has no row before the first round.
 *   - `database` is the one of `database_id`.
 *   - `place` is the last change in `content_search_queue` that is indexed.
 *   - `seen` is the newest change that there was then: the texts that were indexed are not older.
 *   - `next_id` is set while all items are indexed again: those from this id on are missing yet.
 *   - `stale_since` is when the first item after the last full merge was changed or left. Its old words are in the
 *     index until the next full merge. The pages that this frees keep them until they are used again. `is_merging` is 1 while one is under way.
 */
export const DERIVED: DerivedSchema = {
  version: 1,
  statements: [
    `CREATE VIRTUAL TABLE content_search USING fts5 (
      title, content, content = '', contentless_delete = 1, tokenize = 'ascii'
    )`,
    "INSERT INTO content_search (content_search, rank) VALUES ('automerge', 0)",
    `CREATE TABLE content_search_state (
      only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
      database TEXT NOT NULL,
      place INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      next_id INTEGER,
      stale_since INTEGER,
      is_merging INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
  ],
};
