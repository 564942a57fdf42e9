import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Addresses that were proved by the link of a mail, and the links (docs/decisions/addresses-and-mail.md). Each
 * `token_hash` is the SHA-256 of 256 random bits, which are only in the mail.
 *
 * - `users.email_verified_at` is when the address was last proved. It is NULL for an unproved address.
 * - `pending_registrations`: accounts that are made when the address is proved. They reserve neither name nor address:
 *   several may have the same, and the first to prove the address gets it. `source_key` is a hash of the source.
 * - `email_links`: links of existing accounts. `verify` proves the address of the account, `change` gives it `email`,
 *   and `revert` gives its previous `email` back.
 */
export const email: Migration = {
  name: '0011_email',
  effect: OF_FIRST_BUILDS,
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
