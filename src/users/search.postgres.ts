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
