import type { Dialect } from '../../store/migration.ts';

/**
 * Accounts, their sessions, and the secrets of the service.
 *
 * - The `_key` columns have the folded spelling (domain/text.ts) and are unique, so two spellings that look alike are
 *   one name. A user name has no "@" and an e-mail address always has one, so the two columns share one namespace
 *   without a third table.
 * - `visible` is 1 for what everybody may see (docs/decisions/lists-and-search.md). Lists, totals and searches read
 *   `visible_users`, or a table or an index that has only its rows. Nothing else decides what they show.
 * - A session has the hash of its one living refresh token. Older tokens of the session are recognised by their own
 *   authentication tag, so a rotation adds no row (docs/decisions/sessions.md).
 * - Ended sessions stay until a day after their absolute limit, so that a reused token is still recognised.
 * - Keys and secrets are in the database, so that several instances share them and a move carries them. They are sealed
 *   under a key that is not in the database (docs/decisions/audit-and-sealing.md).
 */
export function accounts({ id, integer, key, tableOptions }: Dialect): string[] {
  return [
    `CREATE TABLE users (
      id ${id},
      username TEXT NOT NULL,
      username_key ${key} NOT NULL,
      email TEXT NOT NULL,
      email_key ${key} NOT NULL,
      password_hash TEXT NOT NULL,
      role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'editor', 'admin')),
      visible ${integer} NOT NULL DEFAULT 1 CHECK (visible IN (0, 1)),
      created_at ${integer} NOT NULL,
      disabled_at ${integer},
      CONSTRAINT users_username_key UNIQUE (username_key),
      CONSTRAINT users_email_key UNIQUE (email_key)
    )${tableOptions}`,
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
    // Partial, because each start asks whether there is an admin, and admins are few.
    `CREATE INDEX users_admins ON users (id) WHERE role = 'admin'`,
    `CREATE TABLE sessions (
      id ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      token_hash TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      rotated_at ${integer} NOT NULL,
      idle_expires_at ${integer} NOT NULL,
      absolute_expires_at ${integer} NOT NULL,
      ended_at ${integer},
      ended_because TEXT CHECK (ended_because IN ('logout', 'reuse', 'disabled'))
    )${tableOptions}`,
    'CREATE INDEX sessions_user ON sessions (user_id)',
    'CREATE INDEX sessions_absolute_expiry ON sessions (absolute_expires_at)',
    `CREATE TABLE signing_keys (
      kid ${key} NOT NULL PRIMARY KEY,
      private_jwk TEXT NOT NULL,
      created_at ${integer} NOT NULL
    )${tableOptions}`,
    `CREATE TABLE secrets (
      name ${key} NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    )${tableOptions}`,
  ];
}
