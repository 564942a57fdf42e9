import { sql } from 'kysely';
import type { Db } from '../tables.ts';
import { trigramsOf } from '../trigrams.ts';
import { type Listed, type SearchIndex, sizesOf } from './index-size.ts';
import { near } from './match.ts';

/**
 * A phrase makes FTS5 walk the lists of all its trigrams, and those of common ones are long. The
 * rarest few tell nearly as much: they leave candidates, whose text then decides.
 */
const RAREST = 3;
/** The size of no more trigrams than this is asked for. */
const MOST = 40;
/** A phrase whose lists fill fewer pages is a matter of a millisecond: 3 to 8 µs a page. */
const CHEAP_PAGES = 256;
/** Walking a page of lists takes as long as reading the text of so many candidates. */
const CANDIDATES_PER_PAGE = 3;

/**
 * The ids of the few rows that may contain the keyword: all that do are among them. Undefined where to
 * look the whole keyword up as a phrase costs less than to read what they hold.
 */
export async function fewCandidates(
  db: Db,
  index: SearchIndex,
  keyword: string,
): Promise<number[] | undefined> {
  const trigrams = trigramsOf(keyword).slice(0, MOST);
  if (trigrams.length <= RAREST) return undefined;
  const sizes = await sizesOf(db, index, trigrams);
  const rarest = rarestOf(sizes);
  const pages = sum(sizes);
  if (pages < CHEAP_PAGES || sum(rarest) * 2 > pages) return undefined;
  const most = pages * CANDIDATES_PER_PAGE;
  const { rows } = await sql<{ id: number }>`
    select rowid as id from ${sql.table(index)}
    where ${sql.ref(index)} match ${near(rarest)} limit ${most + 1}`.execute(db);
  return rows.length <= most ? rows.map(({ id }) => id) : undefined;
}

/** Neighbours share two characters, so the second of them would tell little. */
function rarestOf(sizes: readonly Listed[]): Listed[] {
  const rarest: Listed[] = [];
  for (const each of sizes.toSorted((a, b) => a.pages - b.pages)) {
    if (rarest.every(({ place }) => Math.abs(place - each.place) > 1)) rarest.push(each);
    if (rarest.length === RAREST) break;
  }
  return rarest;
}

function sum(sizes: readonly { pages: number }[]): number {
  return sizes.reduce((total, { pages }) => total + pages, 0);
}
