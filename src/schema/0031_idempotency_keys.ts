import type { Migration } from '../store/migration.ts';

/**
 * Requests that were made under an Idempotency-Key (docs/decisions/content.md).
 *
 * - `key_hash` is a SHA-256 of the account and its key. Its constraint is what makes a request once.
 * - `fingerprint` is a SHA-256 of the request.
 * - `answer` is JSON: what the answer has that does not follow from the request.
 */
export const idempotencyKeys: Migration = {
  name: '0031_idempotency_keys',
  effect: { does: 'Makes the table of idempotency keys.', stops: { users: 'writes' } },
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE idempotency_keys (
      key_hash ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      fingerprint TEXT NOT NULL,
      answer TEXT NOT NULL,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX idempotency_keys_user ON idempotency_keys (user_id, expires_at)',
    'CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)',
  ],
};
