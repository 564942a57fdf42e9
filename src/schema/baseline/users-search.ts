import type { Dialect } from '../../store/migration.ts';

/**
 * Search over the names and addresses of visible users, by trigrams (decisions 0011). Users are indexed in the
 * transaction that writes them, since registering costs a password hash anyway.
 *
 * - SQLite: the index is contentless, so the keys are not stored a second time. `users_keys` has the keys
 *   beside the table for keywords that are too short for a trigram; it fills a quarter of the table's pages.
 * - PostgreSQL: the trigram index is made by store/postgres/trigram.ts, because it needs an extension that
 *   some installations lack. The extension ignores all characters but letters and digits: by the index alone,
 *   "example.example" is in each of the many addresses that contain "example". So the index has the keys once
 *   more, with a rare letter in place of each separator.
 */
export function usersSearch({ engine }: Dialect): string[] {
  if (engine === 'postgres') return [WITH_LETTERS];
  return [
    'CREATE INDEX users_keys ON users (id, username_key, email_key) WHERE visible = 1',
    `CREATE VIRTUAL TABLE users_search USING fts5 (
      username_key, email_key, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    "INSERT INTO users_search (users_search, rank) VALUES ('automerge', 0)",
    `CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN ${ADD} ${MERGE} END`,
    `CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN ${REMOVE} END`,
    `CREATE TRIGGER users_search_update AFTER UPDATE OF username_key, email_key, visible ON users
      BEGIN ${REMOVE} ${ADD} ${MERGE} END`,
  ];
}

const WITH_LETTERS = `CREATE FUNCTION with_letters_for_separators(keys TEXT) RETURNS TEXT
  IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql RETURN translate(keys, '@._-+', 'qxzjk')`;

const ADD = `INSERT INTO users_search (rowid, username_key, email_key)
  SELECT new.id, new.username_key, new.email_key WHERE new.visible = 1;`;
/**
 * Each write merges a few pages of the index. FTS5 by itself would merge hundreds at once, now and then (decisions
 * 0038).
 */
const MERGE = "INSERT INTO users_search (users_search, rank) VALUES ('merge', 8);";
const REMOVE = 'DELETE FROM users_search WHERE rowid = old.id;';
