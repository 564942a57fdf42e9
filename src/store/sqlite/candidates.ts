import { sql } from 'kysely';
import type { Db } from '../tables.ts';
import { type SearchIndex, sizesOf } from './index-size.ts';
import { near, trigramsOf } from './trigram.ts';

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
const CANDIDATES_PER_PAGE: Readonly<Record<SearchIndex, number>> = { users_search: 3, content_search: 1.5 };

/**
 * The ids, as a JSON array, of the few rows that may contain the keyword: all that do are among them.
 * Undefined where to look the whole keyword up as a phrase costs less than to read what they hold.
 */
export async function fewCandidates(
  db: Db,
  index: SearchIndex,
  keyword: string,
): Promise<string | undefined> {
  const trigrams = trigramsOf(keyword).slice(0, MOST);
  if (trigrams.length <= RAREST) return undefined;
  const sizes = await sizesOf(db, index, trigrams);
  const rarest = sizes.toSorted((a, b) => a.pages - b.pages).slice(0, RAREST);
  const pages = sum(sizes);
  if (pages < CHEAP_PAGES || sum(rarest) * 2 > pages) return undefined;
  const most = Math.ceil(pages * CANDIDATES_PER_PAGE[index]);
  const { rows } = await sql<{ ids: string; count: number }>`
    select count(*) as count, json_group_array(id) as ids from (
      select rowid as id from ${sql.table(index)}
      where ${sql.ref(index)} match ${near(rarest)} limit ${most + 1}
    )`.execute(db);
  const [found] = rows;
  return found && found.count <= most ? found.ids : undefined;
}

function sum(sizes: readonly { pages: number }[]): number {
  return sizes.reduce((total, { pages }) => total + pages, 0);
}
