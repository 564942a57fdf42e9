import { sql } from 'kysely';
import { skeletonOf } from '../domain/skeleton.ts';
import { isAscii } from '../domain/text.ts';
import type { Migration } from '../store/migration.ts';
import type { Db } from '../store/tables.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

const BATCH = 1_000;

/**
 * Accounts that their owner has closed, and what their removal needs (docs/decisions/accounts.md).
 *
 * - `closes_at` is when the account is removed: NULL for an account that stays, and 0 once the removal has begun.
 * - `closing_content` is what then becomes of its content.
 * - `username_skeletons.names` is how many names, of accounts and reserved, have the skeleton. Removing the last one
 *   removes the skeleton. It is 1 if the skeleton belongs to one name.
 * - `content_author` has hidden items too. The removal of an account uses it to check the reference to the author.
 */
export const accountClosing: Migration = {
  name: '0017_account_closing',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer }) => [
    `ALTER TABLE users ADD COLUMN closes_at ${integer}`,
    `ALTER TABLE users ADD COLUMN closing_content TEXT CHECK (closing_content IN ('keep', 'delete'))`,
    'DROP VIEW visible_users',
    'CREATE VIEW visible_users AS SELECT * FROM users WHERE visible = 1',
    'CREATE INDEX users_closing ON users (closes_at, id) WHERE closes_at IS NOT NULL',
    `ALTER TABLE username_skeletons ADD COLUMN names ${integer} NOT NULL DEFAULT 1`,
    'UPDATE username_skeletons SET names = 0 WHERE user_id IS NULL',
    'DROP INDEX content_author',
    'CREATE INDEX content_author ON content (author_id, visible, id)',
  ],
  bringOver: countNames,
};

/** Counts the ASCII names that share a skeleton. */
async function countNames(db: Db): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; username: string }>`
      select id, username from users where id > ${after} order by id limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    const counts = new Map<string, number>();
    for (const { username } of rows) {
      if (!isAscii(username)) continue;
      const skeleton = skeletonOf(username);
      counts.set(skeleton, (counts.get(skeleton) ?? 0) + 1);
    }
    for (const [skeleton, names] of counts)
      await sql`update username_skeletons set names = names + ${names}
        where skeleton = ${skeleton} and user_id is null`.execute(db);
    after = last.id;
  }
}
