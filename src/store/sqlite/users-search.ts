import { sql } from 'kysely';
import { codePoints } from '../../domain/text.ts';
import type { IdSet } from '../id-set.ts';
import type { Db } from '../tables.ts';
import { TRIGRAM } from '../trigrams.ts';
import { fewCandidates } from './candidates.ts';
import { listed } from './id-list.ts';
import { phrase } from './match.ts';

/**
 * Search over users with SQLite (decisions 0011): by the trigram index, by a few of its trigrams and
 * the keys of what these leave, or, for one or two characters, by all keys. Keys are read from an
 * index of their own (migration 0006), which is a quarter of the table.
 */
export async function usersMatching(db: Db, keyword: string): Promise<IdSet> {
  const contains = sql`(instr(username_key, ${keyword}) > 0 or instr(email_key, ${keyword}) > 0)`;
  if (codePoints(keyword) < TRIGRAM) {
    return sql`select id from users indexed by users_keys where ${contains}`;
  }
  const candidates = await fewCandidates(db, 'users_search', keyword);
  if (candidates === undefined) {
    return sql`select rowid as id from users_search where users_search match ${phrase(keyword)}`;
  }
  const { rows } = await sql<{ id: number }>`select id from users indexed by users_keys
    where id in (${listed(candidates)}) and ${contains}`.execute(db);
  return listed(rows.map(({ id }) => id));
}
