import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type PageRequest } from '../domain/page.ts';
import type { Db } from './tables.ts';

/** A subquery with one column, `id`, without repeats: the rows that meet one condition of a list. */
export type IdSet = RawBuilder<{ id: number }>;

/** One page of what is in a set, by id, and the exact number of it. */
export interface IdPage {
  readonly ids: number[];
  readonly total: number;
}

/** So many ids are kept while they are counted and paged. */
const FEW = 10_000;

/**
 * A page of ids and their number, over ids alone: an index answers both, and no row is read but those of the
 * page. Few ids are found once, for both. Of many the rest is not even looked for: those are counted, and
 * then paged by a statement that stops at the end of the page where the engine has ids in order.
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

async function countThenPage(db: Db, ids: IdSet, page: PageRequest): Promise<IdPage> {
  const counted = await sql<{ total: number }>`select count(*) as total from (${ids}) as ids`.execute(db);
  const total = Number(counted.rows[0]?.total ?? 0);
  const offset = offsetOf(page);
  if (offset >= total) return { ids: [], total };
  const { rows } = await sql<{ id: number }>`
    select id from (${ids}) as ids order by id limit ${page.per_page} offset ${offset}`.execute(db);
  return { ids: rows.map(({ id }) => id), total };
}

/** What is in all of the sets; at least one is needed. */
export function intersection([first, ...others]: readonly IdSet[]): IdSet {
  if (!first) throw new Error('A page of ids needs a set to choose from.');
  if (others.length === 0) return first;
  const inAll = others.map((other) => sql`id in (${other})`);
  return sql`select id from (${first}) as first where ${sql.join(inAll, sql` and `)}`;
}
