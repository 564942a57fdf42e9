import { sql } from 'kysely';
import { codePoints } from '../domain/text.ts';
import { whileInTime } from '../store/deadline.ts';
import type { IdSet } from '../store/id-set.ts';

/** A trigram index finds keywords of at least this many code points. */
const TRIGRAM = 3;

/**
 * Users by a trigram index of FTS5, or by reading all keys where the keyword is too short for one. Keys are
 * read from an index of their own, which is a quarter of the table.
 */
export function usersMatching(keyword: string): IdSet {
  if (codePoints(keyword) >= TRIGRAM) {
    return sql`select rowid as id from users_search where users_search match ${phrase(keyword)}
      and ${whileInTime(sql`rowid`)}`;
  }
  return sql`select id from users indexed by users_keys
    where visible = 1 and ${whileInTime(sql`id`)}
      and (instr(username_key, ${keyword}) > 0 or instr(email_key, ${keyword}) > 0)`;
}

/** The keyword as an FTS5 string: every character stands for itself (https://sqlite.org/fts5.html, 3.1). */
function phrase(keyword: string): string {
  return `"${keyword.replaceAll('"', '""')}"`;
}
