import { sql } from 'kysely';
import type { Db } from '../tables.ts';
import type { Trigram } from '../trigrams.ts';

/** A search index of the schema. */
export type SearchIndex = 'users_search' | 'content_search';

/** A trigram of a keyword and about how many pages its list fills in the index: how common it is. */
export interface Listed extends Trigram {
  readonly pages: number;
}

/** Where a page number begins in the ids of an index's pages (FTS5_SEGMENT_ROWID in SQLite's fts5_index.c). */
const SEGMENT_SHIFT = 37;
const PAGES = 2 ** 31 - 1;

/**
 * How common trigrams are, by the tree over an index's pages (`_idx`), which knows the first term of
 * every page: two look-ups for each segment, where counting would read the lists. Never too few, but
 * too many for a rare one that shares its page with the beginning of a long list. The tables are
 * FTS5's own; what is read there decides how a search goes about it, never what it finds.
 */
export async function sizesOf(db: Db, index: SearchIndex, trigrams: readonly Trigram[]): Promise<Listed[]> {
  const tree = sql.table(`${index}_idx`);
  const pages = sql.table(`${index}_data`);
  const texts = JSON.stringify(trigrams.map(({ text }) => text));
  const { rows } = await sql<{ pages: number }>`
    with recursive segments (id) as (
      select min(segid) from ${tree}
      union all
      select (select min(segid) from ${tree} where segid > id) from segments where id is not null
    ),
    bounds as materialized (
      select id, (select max(id) & ${PAGES} from ${pages}
        where id between segments.id << ${SEGMENT_SHIFT} and (segments.id << ${SEGMENT_SHIFT}) + ${PAGES}) as last
      from segments where id is not null
    ),
    terms as (select key, cast('0' || value as blob) as term from json_each(${texts}))
    select (
      select sum(
        coalesce((select pgno >> 1 from ${tree} where segid = id and term > terms.term order by term limit 1), last + 1)
        - coalesce((select pgno >> 1 from ${tree} where segid = id and term <= terms.term order by term desc limit 1), 1))
      from bounds
    ) as pages
    from terms order by key`.execute(db);
  return trigrams.map((trigram, at) => ({ ...trigram, pages: rows[at]?.pages ?? 0 }));
}
