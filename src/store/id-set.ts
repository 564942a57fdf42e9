import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type PageRequest } from '../domain/page.ts';
import type { Db } from './tables.ts';

/** A subquery with one column, `id`, without repeats: the rows that meet one condition of a list. */
export type IdSet = RawBuilder<{ id: number }>;

/** The ids of one page of a set, in order, and how many ids the set has. */
export interface IdPage {
  readonly ids: number[];
  readonly total: number;
}

/** A set of at most this many ids is materialized once, to be counted and paged. */
const FEW = 10_000;

/**
 * A page of the set and its total, read from indexes alone: the rows themselves are read for the page, by the
 * caller. A small set is found once, for the page and the total. A large one is counted first, and then paged by a
 * second statement, which stops at the end of the page where the engine finds ids in order.
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

/** The ids that are in every one of the sets. Fails where there is no set. */
export function intersection([first, ...others]: readonly IdSet[]): IdSet {
  if (!first) throw new Error('A page of ids needs a set to choose from.');
  if (others.length === 0) return first;
  const inAll = others.map((other) => sql`id in (${other})`);
  return sql`select id from (${first}) as first where ${sql.join(inAll, sql` and `)}`;
}
