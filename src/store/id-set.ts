import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type PageRequest } from '../domain/page.ts';
import type { Db } from './tables.ts';

/** A subquery with one column, `id`, without repeats: the rows that meet one condition of a list. */
export type IdSet = RawBuilder<{ id: number }>;

/** One page of what is in all of the sets, by id, and the exact number of it. */
export interface IdPage {
  readonly ids: number[];
  readonly total: number;
}

/**
 * Counts and pages over ids alone, so that an index answers both and no row is read but those of the
 * page; in one statement, so that an engine that cannot stop early finds the matches once. At least
 * one set is needed.
 */
export async function pageOfIds(db: Db, sets: readonly IdSet[], page: PageRequest): Promise<IdPage> {
  const { rows } = await sql<{ id: number; total: number | null }>`
    with ids as (${intersection(sets)})
    select 0 as id, count(*) as total from ids
    union all
    select id, null as total from (
      select id from ids order by id limit ${page.per_page} offset ${Math.min(offsetOf(page), Number.MAX_SAFE_INTEGER)}
    ) as page`.execute(db);
  const total = Number(rows.find((row) => row.total !== null)?.total ?? 0);
  const ids = rows.filter((row) => row.total === null).map(({ id }) => id);
  return { ids, total };
}

function intersection([first, ...others]: readonly IdSet[]): IdSet {
  if (!first) throw new Error('A page of ids needs a set to choose from.');
  if (others.length === 0) return first;
  const inAll = others.map((other) => sql`id in (${other})`);
  return sql`select id from (${first}) as first where ${sql.join(inAll, sql` and `)}`;
}
