import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Passkeys (docs/decisions/factors.md).
 *
 * - `passkey_owners`: the name by which authenticators know an account ("user handle"). It is random, so it reveals
 *   nothing about the account.
 * - `passkeys`: one row for each. `credential_id` and `public_key` (COSE) are base64url, `transports` are words
 *   separated by commas. `counter` is that of the last use, 0 for an authenticator without one.
 * - `used_challenges`: the hash of each used challenge, until it would have expired.
 */
export const passkeys: Migration = {
  name: '0014_passkeys',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE passkey_owners (
      user_id ${integer} NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      handle TEXT NOT NULL
    )${tableOptions}`,
    `CREATE TABLE passkeys (
      id ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      credential_id ${key} NOT NULL,
      public_key TEXT NOT NULL,
      counter ${integer} NOT NULL,
      transports TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      last_used_at ${integer},
      CONSTRAINT passkeys_credential_id UNIQUE (credential_id)
    )${tableOptions}`,
    'CREATE INDEX passkeys_user ON passkeys (user_id)',
    `CREATE TABLE used_challenges (
      challenge_hash ${key} NOT NULL PRIMARY KEY,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX used_challenges_expiry ON used_challenges (expires_at)',
  ],
};
