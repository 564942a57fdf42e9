import { sql } from 'kysely';
import { codePoints } from '../../domain/text.ts';
import type { IdSet } from '../id-set.ts';
import { hasLookAlikes, withStandIns } from '../search-keys.ts';
import type { Db } from '../tables.ts';
import { TRIGRAM, type Trigram, trigramsOf } from '../trigrams.ts';
import { containing } from './like.ts';

/**
 * So many of the rarest trigrams leave few others than the matches; the lists of common ones are long. Never
 * fewer: where the sample misjudges one of them, the others make good for it.
 */
const RAREST = 3;
/** Rows of the table that tell how common a trigram is: it has to be the right order of magnitude. */
const SAMPLE_ROWS = 200;
/** Found in one row of the sample more or less is the same: the next sample may say the opposite. */
const ALIKE = 2;
/** What pg_trgm has in its index, whatever the locale of the database. */
const INDEXED = /^[a-z0-9]*$/;

/** What is in one of twenty rows is found soonest by reading them, which has them in order for a page. */
const COMMON_ROWS = SAMPLE_ROWS / 20;

/**
 * Search over users with PostgreSQL (decisions 0011): by the trigram index over `search_keys`, and by
 * the keys of what it leaves. Keywords of one or two characters, and such as very many have, read all keys.
 */
export async function usersMatching(db: Db, keyword: string): Promise<IdSet> {
  const pattern = containing(keyword);
  const inKeys = sql`(username_key like ${pattern} or email_key like ${pattern})`;
  const all = sql<{ id: number }>`select id from users where ${inKeys}`;
  if (codePoints(keyword) < TRIGRAM) return all;
  const searchKey = withStandIns(keyword);
  const sample = await sampleOfKeys(db);
  if (rowsWith(searchKey, sample) >= COMMON_ROWS) return all;
  const parts = rareParts(searchKey, sample);
  const conditions = parts.map((part) => sql`search_keys like ${containing(part)}`);
  // A short keyword that nothing else looks like is found where its search key is.
  if (parts[0] !== searchKey || hasLookAlikes(searchKey)) conditions.push(inKeys);
  return sql`select id from users where ${sql.join(conditions, sql` and `)}`;
}

/** Parts of the keyword that the index finds quickly: all of a short one, the rarest trigrams of others. */
function rareParts(keyword: string, sample: readonly string[]): string[] {
  const trigrams = trigramsOf(keyword);
  if (trigrams.length <= RAREST || !INDEXED.test(keyword)) return [keyword];
  const counted = trigrams.map((each) => ({
    ...each,
    rank: Math.floor(rowsWith(each.text, sample) / ALIKE),
  }));
  return rarestOf(counted).map(({ text }) => text);
}

interface Ranked extends Trigram {
  /** How common it is, as far as the sample tells. */
  readonly rank: number;
}

/** Of equally rare ones those farthest apart: neighbours share two characters, so the second tells little. */
function rarestOf(trigrams: readonly Ranked[]): Ranked[] {
  const chosen: Ranked[] = [];
  const distance = ({ place }: Ranked) =>
    Math.min(trigrams.length, ...chosen.map((other) => Math.abs(place - other.place)));
  for (let count = 0; count < RAREST; count++) {
    const others = trigrams.filter((each) => !chosen.includes(each));
    chosen.push(...others.toSorted((a, b) => a.rank - b.rank || distance(b) - distance(a)).slice(0, 1));
  }
  return chosen;
}

function rowsWith(part: string, sample: readonly string[]): number {
  return sample.filter((keys) => keys.includes(part)).length;
}

async function sampleOfKeys(db: Db): Promise<string[]> {
  const { rows } = await sql<{ search_keys: string }>`
    select search_keys from users where id in (
      select ceil(random() * (select max(id) from users))::bigint from generate_series(1, ${sql.lit(SAMPLE_ROWS)})
    )`.execute(db);
  return rows.map(({ search_keys }) => search_keys);
}
