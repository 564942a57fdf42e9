import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

/**
 * On SQLite the index of users loses the names and addresses of a row at once when they change or the row is deleted.
 * With `contentless_delete` they stayed in it until a merge, and so in each copy of the database. The two options
 * exclude each other.
 *
 * - `delete` takes out what it is told. So the triggers tell it the keys that are in the index.
 * - `optimize` makes one segment. Otherwise a later write would merge all segments of this step at once.
 * - A million accounts take 10 s of processor time, and a removal then 0.7 ms.
 */
export const noRemovedNames: Migration = {
  name: '0055_no_removed_names',
  effect: {
    sqlite: { does: 'Makes the search index of accounts again, without removed names.', reads: ['users'] },
    postgres: NOT_HERE,
  },
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : []),
};

const ADD = `INSERT INTO users_search (rowid, username_key, email_key)
  SELECT new.id, new.username_key, new.email_key WHERE new.visible = 1;`;
const MERGE = "INSERT INTO users_search (users_search, rank) VALUES ('merge', 8);";
const REMOVE = `INSERT INTO users_search (users_search, rowid, username_key, email_key)
  SELECT 'delete', old.id, old.username_key, old.email_key WHERE old.visible = 1;`;

const SQLITE = [
  ...['insert', 'delete', 'update'].map((event) => `DROP TRIGGER users_search_${event}`),
  'DROP TABLE users_search',
  `CREATE VIRTUAL TABLE users_search USING fts5 (
    username_key, email_key, content = '', tokenize = 'trigram case_sensitive 1'
  )`,
  "INSERT INTO users_search (users_search, rank) VALUES ('automerge', 0)",
  "INSERT INTO users_search (users_search, rank) VALUES ('secure-delete', 1)",
  `INSERT INTO users_search (rowid, username_key, email_key)
    SELECT id, username_key, email_key FROM users WHERE visible = 1`,
  "INSERT INTO users_search (users_search) VALUES ('optimize')",
  `CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN ${ADD} ${MERGE} END`,
  `CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN ${REMOVE} END`,
  `CREATE TRIGGER users_search_update AFTER UPDATE OF username_key, email_key, visible ON users
    BEGIN ${REMOVE} ${ADD} ${MERGE} END`,
];
