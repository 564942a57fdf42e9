import type { Migration } from '../store/migration.ts';

/**
 * Personal access tokens, which programs hold (decisions 0051). Each is a session that cannot be refreshed, and a row that belongs to it.
 *
 * - `sessions.scope` is what the program may do. It is NULL where a person signed in.
 * - `token_hash` is the SHA-256 of the token, which is not in the database. It is not the column of the same name in
 *   `sessions`: an index there would cost each rotation its update within the page (HOT).
 * - `last_used_at` is exact to the minute, and NULL before the first use.
 */
export const personalTokens: Migration = {
  name: '0008_personal_tokens',
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
