import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Personal access tokens, which programs hold (docs/decisions/sessions.md). Each is a session that cannot be refreshed,
 * with a row of its own here.
 *
 * - `sessions.scope` is what the program may do. It is NULL for the session of a person.
 * - `token_hash` is the SHA-256 of the token, which is not in the database. The column of that name in `sessions` is
 *   not used: an index there would make each rotation leave its page (no HOT update).
 * - `last_used_at` is exact to the minute, and NULL before the first use.
 */
export const personalTokens: Migration = {
  name: '0008_personal_tokens',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer, key, tableOptions }) => [
    `ALTER TABLE sessions ADD COLUMN scope TEXT CHECK (scope IN ('read', 'write'))`,
    `CREATE TABLE personal_tokens (
      session_id ${key} NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      token_hash ${key} NOT NULL,
      name TEXT NOT NULL,
      last_used_at ${integer},
      CONSTRAINT personal_tokens_token_hash UNIQUE (token_hash)
    )${tableOptions}`,
  ],
};
