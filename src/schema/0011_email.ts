import type { Migration } from '../store/migration.ts';

/**
 * Addresses that somebody proved by the link of a mail, and the links (decisions 0056). Each `token_hash` is the SHA-256
 * of 256 random bits, which are in the mail alone.
 *
 * - `users.email_verified_at` is when the address was proved last. It is NULL where nobody proved it.
 * - `pending_registrations`: accounts that are made when the address is proved. They hold neither name nor address:
 *   several may have the same, and who proves the address first has it. `source_key` is a hash of where one came from.
 * - `email_links`: links for accounts that are there. `verify` proves the address that the account has, `change` gives it
 *   `email`, and `revert` gives it back `email`, which it had before.
 */
export const email: Migration = {
  name: '0011_email',
  statements: ({ integer, key, tableOptions }) => [
    `ALTER TABLE users ADD COLUMN email_verified_at ${integer}`,
    // On PostgreSQL a view keeps the columns that it was made with.
    'DROP VIEW visible_users',
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
    `CREATE TABLE pending_registrations (
      token_hash ${key} NOT NULL PRIMARY KEY,
      username TEXT NOT NULL,
      email TEXT NOT NULL,
      email_key ${key} NOT NULL,
      password_hash TEXT NOT NULL,
      source_key ${key} NOT NULL,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX pending_registrations_email ON pending_registrations (email_key)',
    'CREATE INDEX pending_registrations_source ON pending_registrations (source_key)',
    'CREATE INDEX pending_registrations_expiry ON pending_registrations (expires_at)',
    `CREATE TABLE email_links (
      token_hash ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('verify', 'change', 'revert')),
      email TEXT NOT NULL,
      email_key ${key} NOT NULL,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX email_links_user ON email_links (user_id)',
    'CREATE INDEX email_links_email ON email_links (email_key)',
    'CREATE INDEX email_links_expiry ON email_links (expires_at)',
  ],
};
