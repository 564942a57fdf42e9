import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Links to choose a new password (docs/decisions/passwords.md): one row for each mailed link, until it is used or
 * expires. `token_hash` is the SHA-256 of 256 random bits.
 */
export const passwordResets: Migration = {
  name: '0010_password_resets',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE password_resets (
      token_hash ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX password_resets_user ON password_resets (user_id)',
    'CREATE INDEX password_resets_expiry ON password_resets (expires_at)',
  ],
};
