import { sql } from 'kysely';
import { codePoints } from '../../domain/text.ts';
import type { IdSet } from '../id-set.ts';
import { withStandIns } from '../search-keys.ts';
import type { Db } from '../tables.ts';
import { TRIGRAM, type Trigram, trigramsOf } from '../trigrams.ts';
import { containing } from './like.ts';

/** So many of the rarest trigrams leave few others than the matches; the lists of common ones are long. */
const RAREST = 3;
/** A trigram so many times as common as the rarest is not worth its list. */
const MUCH_MORE = 4;
/** Rows of the table that tell how common a trigram is: it has to be the right order of magnitude. */
const SAMPLE_ROWS = 200;
/** What pg_trgm has in its index, whatever the locale of the database. */
const INDEXED = /^[a-z0-9]*$/;

/**
 * Search over users with PostgreSQL (decisions 0011): by the trigram index over `search_keys`, and by
 * the keys of what it leaves.
 */
export async function usersMatching(db: Db, keyword: string): Promise<IdSet> {
  const pattern = containing(keyword);
  const inKeys = sql`(username_key like ${pattern} or email_key like ${pattern})`;
  if (codePoints(keyword) < TRIGRAM) return sql`select id from users where ${inKeys}`;
  const parts = (await rareParts(db, withStandIns(keyword))).map(
    (part) => sql`search_keys like ${containing(part)}`,
  );
  return sql`select id from users where ${sql.join(parts, sql` and `)} and ${inKeys}`;
}

/** Parts of the keyword that the index finds quickly: all of a short one, the rarest trigrams of others. */
async function rareParts(db: Db, keyword: string): Promise<string[]> {
  const trigrams = trigramsOf(keyword);
  if (trigrams.length <= RAREST || !INDEXED.test(keyword)) return [keyword];
  const counted = (await countedInSample(db, trigrams)).toSorted((a, b) => a.rows - b.rows);
  const most = MUCH_MORE * ((counted[0]?.rows ?? 0) + 1);
  return counted
    .slice(0, RAREST)
    .filter(({ rows }) => rows <= most)
    .map(({ text }) => text);
}

async function countedInSample(db: Db, trigrams: readonly Trigram[]) {
  const { rows: sample } = await sql<{ search_keys: string }>`
    select search_keys from users where id in (
      select ceil(random() * (select max(id) from users))::bigint from generate_series(1, ${sql.lit(SAMPLE_ROWS)})
    )`.execute(db);
  return trigrams.map((trigram) => ({
    ...trigram,
    rows: sample.filter(({ search_keys }) => search_keys.includes(trigram.text)).length,
  }));
}
