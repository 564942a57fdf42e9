import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * What owners say about themselves, their former names, and indexes for searches of the audit trail
 * (docs/decisions/names-and-text.md and docs/decisions/audit-and-sealing.md).
 *
 * - `profile` is a JSON object of the owner. No statement reads its members.
 * - `reserved_names` has a row for each former name, until `free_at`. Until then only that account can get the name, or
 *   one that looks like it.
 * - Each index of the trail has the id, by which lists are ordered, and the time, so that counting with a filter by
 *   time reads no rows. The indexes of the first schema, without the time, are dropped.
 * - The view is made again, because on PostgreSQL it keeps the columns that it was made with.
 */
export const ownAccount: Migration = {
  name: '0015_own_account',
  effect: OF_FIRST_BUILDS,
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
