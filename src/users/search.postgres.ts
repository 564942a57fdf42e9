import { sql } from 'kysely';
import type { IdSet } from '../store/id-set.ts';

/**
 * Users by the trigram index over both keys (pg_trgm), or by reading all keys where the keyword is too short
 * for one: the server chooses.
 */
export function usersMatching(keyword: string): IdSet {
  const pattern = containing(keyword);
  return sql`select id from users
    where visible = 1 and (username_key like ${pattern} or email_key like ${pattern})`;
}

/** A LIKE pattern for "contains", every character of the keyword standing for itself. */
function containing(keyword: string): string {
  return `%${keyword.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Without a list of what it puts off: every search would read that, and a registration is a password hash anyway. */
export const TRIGRAM_INDEXES = [
  `CREATE INDEX IF NOT EXISTS users_keys_trigrams ON users
    USING gin (username_key gin_trgm_ops, email_key gin_trgm_ops) WITH (fastupdate = off) WHERE visible = 1`,
];
