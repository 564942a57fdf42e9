import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * What administrators see and set (docs/decisions/accounts.md).
 *
 * - `last_sign_in_at` is written by the statement with which a sign-in locks the account. It has no index, so on
 *   PostgreSQL a sign-in updates the row within its page (HOT) and adds no entry to the trigram index. For existing
 *   accounts it comes from the sessions that are kept.
 * - `must_change_password` is 1 while the account may not sign in with its present password.
 * - `users_created` is for lists that are ordered or filtered by the time of registration.
 */
export const administration: Migration = {
  name: '0016_administration',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer }) => [
    `ALTER TABLE users ADD COLUMN last_sign_in_at ${integer}`,
    `ALTER TABLE users ADD COLUMN must_change_password ${integer} NOT NULL DEFAULT 0
      CHECK (must_change_password IN (0, 1))`,
    'DROP VIEW visible_users',
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
    'CREATE INDEX users_created ON users (created_at, id)',
    `UPDATE users SET last_sign_in_at =
      (SELECT max(created_at) FROM sessions WHERE sessions.user_id = users.id AND scope IS NULL)
      WHERE id IN (SELECT user_id FROM sessions WHERE scope IS NULL)`,
  ],
};
