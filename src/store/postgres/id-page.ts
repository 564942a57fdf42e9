import { sql } from 'kysely';
import { offsetOf, type PageRequest } from '../../domain/page.ts';
import { countThenPage, type IdPage, type IdSet } from '../id-set.ts';
import type { Db } from '../tables.ts';

/** So many ids are kept while they are counted and paged. */
const FEW = 10_000;

/**
 * A page of ids and their number. A search by a bitmap cannot stop early, so counting first would find
 * everything twice: few ids are found once. Of many the rest is not even looked for; those are
 * counted, and then paged by a key that has them in order.
 */
export async function pageOfIds(db: Db, ids: IdSet, page: PageRequest): Promise<IdPage> {
  const { rows } = await sql<{ id: number; total: number | null }>`
    with few as materialized (select id from (${ids}) as ids limit ${FEW + 1})
    select 0 as id, count(*) as total from few
    union all
    select id, null as total from (
      select id from few order by id limit ${page.per_page} offset ${Math.min(offsetOf(page), FEW)}
    ) as page`.execute(db);
  const total = rows.find((row) => row.total !== null)?.total ?? 0;
  if (total > FEW) return countThenPage(db, ids, page);
  return { ids: rows.filter((row) => row.total === null).map(({ id }) => id), total };
}
