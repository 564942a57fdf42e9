import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Second factors of accounts (docs/decisions/factors.md).
 *
 * - `users.second_factor` is 1 for an account that has one. The statements that find an account or a caller read it
 *   with the rest of the row. It is a column because a write that waited for the row sees the newest state only of that
 *   row.
 * - `totp_secrets` has at most two rows for an account: the one that is on, and one without `confirmed_at` that was
 *   begun. `id` is random, because the secret is sealed to the row before the row exists. `last_step` is the last time
 *   step whose code was used.
 * - `recovery_codes.code_hash` is a SHA-256 of the account and 80 random bits.
 * - `second_factor_challenges` has a row for each sign-in that waits for its second factor. `token_hash` is the SHA-256
 *   of 256 random bits. `line` is a hash of the sender: a known device, or all unknown ones. `tries` counts codes
 *   before they are checked.
 */
export const secondFactors: Migration = {
  name: '0013_second_factors',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer, key, tableOptions }) => [
    `ALTER TABLE users ADD COLUMN second_factor ${integer} NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1))`,
    'DROP VIEW visible_users',
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
    `CREATE TABLE totp_secrets (
      id ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      secret_sealed TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      confirmed_at ${integer},
      last_step ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE UNIQUE INDEX totp_secrets_on ON totp_secrets (user_id) WHERE confirmed_at IS NOT NULL',
    'CREATE UNIQUE INDEX totp_secrets_begun ON totp_secrets (user_id) WHERE confirmed_at IS NULL',
    'CREATE INDEX totp_secrets_age ON totp_secrets (created_at) WHERE confirmed_at IS NULL',
    `CREATE TABLE recovery_codes (
      code_hash ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE
    )${tableOptions}`,
    'CREATE INDEX recovery_codes_user ON recovery_codes (user_id)',
    `CREATE TABLE second_factor_challenges (
      token_hash ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      line TEXT NOT NULL,
      tries ${integer} NOT NULL,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX second_factor_challenges_user ON second_factor_challenges (user_id)',
    'CREATE INDEX second_factor_challenges_expiry ON second_factor_challenges (expires_at)',
  ],
};
