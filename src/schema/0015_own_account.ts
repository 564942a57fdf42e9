import type { Migration } from '../store/migration.ts';

/**
 * What an account says of itself, the names that it gave up, and what the audit trail is searched by (decisions 0061 and
 * 0062).
 *
 * - `profile` is a JSON object of the owner's. No statement looks into it.
 * - `reserved_names` has a row for each name that was given up, until `free_at`. While the row is there, nobody but that
 *   account gets the name, or one that looks like it.
 * - Each index of the trail has the id, by which lists are ordered, and the time, so that a filter by time looks at no row
 *   to be counted. Those of the first schema, without the time, go.
 * - The view is made anew, because on PostgreSQL it keeps the columns that it was made with.
 */
export const ownAccount: Migration = {
  name: '0015_own_account',
  statements: ({ integer, key, tableOptions }) => [
    'ALTER TABLE users ADD COLUMN display_name TEXT',
    'ALTER TABLE users ADD COLUMN profile TEXT',
    'DROP VIEW visible_users',
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
    `CREATE TABLE reserved_names (
      username_key ${key} NOT NULL PRIMARY KEY,
      username TEXT NOT NULL,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      free_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX reserved_names_user ON reserved_names (user_id)',
    'CREATE INDEX reserved_names_free ON reserved_names (free_at)',
    ...['at', 'event', 'account'].map((name) => `DROP INDEX audit_events_${name}`),
    'CREATE INDEX audit_events_at ON audit_events (at, id)',
    'CREATE INDEX audit_events_event ON audit_events (event, id, at)',
    ...Object.entries({ account: 'account_id', actor: 'actor_id', address: 'address' }).map(
      ([name, column]) =>
        `CREATE INDEX audit_events_${name} ON audit_events (${column}, id, at) WHERE ${column} IS NOT NULL`,
    ),
  ],
};
