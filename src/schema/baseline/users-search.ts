import type { Dialect } from '../../store/migration.ts';

/**
 * Search over the names and addresses of visible users, by trigrams (docs/decisions/lists-and-search.md). Users are
 * indexed in the transaction that writes them, because a registration costs a password hash anyway.
 *
 * - SQLite: the index is contentless, so the keys are not stored twice. Step 0055 makes it and its triggers again.
 *   `users_keys` has the keys outside of the table, for keywords that are too short for a trigram. It has a quarter of
 *   the table's pages.
 * - PostgreSQL: store/postgres/migrate.ts makes the trigram index, because it needs an extension that some
 *   installations lack. The extension ignores all characters but letters and digits: by its index "example.example"
 *   would match each of the many addresses that contain "example". So the index also has the keys with a rare letter
 *   instead of each separator.
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
 * Each write merges a few pages of the index. Otherwise FTS5 would merge hundreds at once, now and then
 * (docs/decisions/store.md).
 */
const MERGE = "INSERT INTO users_search (users_search, rank) VALUES ('merge', 8);";
const REMOVE = 'DELETE FROM users_search WHERE rowid = old.id;';
