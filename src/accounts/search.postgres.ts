import { sql } from 'kysely';
import type { IdSet } from '../store/id-set.ts';

/** A separator between two characters that are none (schema/baseline/users-search.ts). */
const SEPARATED = /[^@._+-][@._+-]+[^@._+-]/;

/**
 * Users by the trigram index (pg_trgm), or by reading all keys where the keyword is too short for one or too
 * common: the server chooses. Where separators are what tells the keyword from others, the index of the keys
 * with letters in their place says which users to look at, and the keys decide.
 */
export function usersMatching(keyword: string): IdSet {
  const pattern = containing(keyword);
  if (!SEPARATED.test(keyword)) {
    return sql`select id from users
      where visible = 1 and (username_key like ${pattern} or email_key like ${pattern})`;
  }
  return sql`select id from users where visible = 1
    and with_letters_for_separators(username_key || ' ' || email_key) like with_letters_for_separators(${pattern})
    and (strpos(username_key, ${keyword}) > 0 or strpos(email_key, ${keyword}) > 0)`;
}

/** A LIKE pattern for "contains", every character of the keyword standing for itself. */
function containing(keyword: string): string {
  return `%${keyword.replace(/[\\%_]/g, '\\$&')}%`;
}
