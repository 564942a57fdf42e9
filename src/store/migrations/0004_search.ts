import type { Migration } from '../migration.ts';

/**
 * Substring search by trigram indexes over folded text (decisions 0011).
 *
 * - Users are indexed in the transaction that writes them: registering costs a password hash anyway.
 * - Content is indexed a moment later, in batches, because the trigrams of one kilobyte cost more than
 *   all the rest of its creation. `content_unindexed` lists what still waits; a search reads those
 *   items directly, so it is exact at any moment.
 * - The SQLite indexes are contentless: the folded text is not stored a second time.
 * - PostgreSQL folds letters otherwise than we do, so the folded text of content is kept beside it, and
 *   written with it (since 0007 it waits elsewhere for a moment). The trigram indexes are not here, because
 *   they need an extension that some installations lack (store/postgres/trigram.ts).
 */
export const search: Migration = {
  name: '0004_search',
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : POSTGRES),
};

const FTS_OPTIONS = `content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'`;

const SQLITE = [
  `CREATE TABLE content_unindexed (
      content_id INTEGER NOT NULL PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE
    ) STRICT`,
  `CREATE VIRTUAL TABLE users_search USING fts5 (username_key, email_key, ${FTS_OPTIONS})`,
  `CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN
    INSERT INTO users_search (rowid, username_key, email_key) VALUES (new.id, new.username_key, new.email_key);
  END`,
  `CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN
    DELETE FROM users_search WHERE rowid = old.id;
  END`,
  `CREATE TRIGGER users_search_update AFTER UPDATE OF username_key, email_key ON users BEGIN
    UPDATE users_search SET username_key = new.username_key, email_key = new.email_key WHERE rowid = new.id;
  END`,
  `CREATE VIRTUAL TABLE content_search USING fts5 (title, content, ${FTS_OPTIONS})`,
  `CREATE TRIGGER content_search_delete AFTER DELETE ON content BEGIN
    DELETE FROM content_search WHERE rowid = old.id;
  END`,
];

const POSTGRES = [
  `CREATE TABLE content_search (
    content_id BIGINT NOT NULL PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL
  )`,
];
