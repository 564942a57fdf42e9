import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest, type Walk, type WalkRequest } from '../domain/page.ts';
import { whileInTime } from './deadline.ts';
import type { Engine } from './operation.ts';
import { countThenPage, walkOf } from './pages.ts';
import type { Db } from './tables.ts';

/** A subquery with the one column `id`, without repeats: the rows that match one condition of a list. */
export type IdSet = RawBuilder<{ id: number }>;

/**
 * A set of at most this many ids is read once, for the count and the page. SQLite finds ids in order and stops at the
 * end of the page. PostgreSQL reads all matches for either, so reading them once pays for larger sets too.
 */
export const READ_ONCE = { sqlite: 10_000, postgres: 100_000 };

/** Reads the rows with these ids, in the order of the ids. */
type RowsOf<Row> = (ids: readonly number[]) => Promise<Row[]>;

/**
 * A page of the rows whose ids are in the set, and its total. Both come only from indexes, and `rowsOf` reads the rows
 * of the page. A small set is read once for both. A large one is counted first, and a second statement reads the page.
 */
export async function pageOfIds<Row>(
  db: Db,
  ids: IdSet,
  request: PageRequest,
  rowsOf: RowsOf<Row>,
  engine: Pick<Engine, 'name'>,
): Promise<Page<Row>> {
  const { items, ...page } = await idsOnPage(db, ids, request, READ_ONCE[engine.name]);
  return { items: items.length > 0 ? await rowsOf(items) : [], ...page };
}

async function idsOnPage(db: Db, ids: IdSet, request: PageRequest, few: number): Promise<Page<number>> {
  const { page, per_page } = request;
  const { rows } = await sql<{ id: number; total: number | null }>`
    with few as materialized (select id from (${ids}) as ids limit ${few + 1})
    select 0 as id, count(*) as total from few
    union all
    select id, null as total from (
      select id from few order by id limit ${per_page} offset ${Math.min(offsetOf(request), few)}
    ) as page`.execute(db);
  const total = rows.find((row) => row.total !== null)?.total ?? 0;
  if (total > few) return countIdsThenPage(db, ids, request);
  return { items: rows.filter((row) => row.total === null).map(({ id }) => id), total, page, per_page };
}

function countIdsThenPage(db: Db, ids: IdSet, request: PageRequest): Promise<Page<number>> {
  const all = db.selectFrom(sql<{ id: number }>`(${ids})`.as<'ids'>('ids'));
  const page = all.select('ids.id').orderBy('ids.id').limit(request.per_page);
  return countThenPage(request, all, async (offset) =>
    (await page.offset(offset).execute()).map(({ id }) => id),
  );
}

/** The next step of a walk through the rows whose ids are in the set (`walkOf`). */
export async function walkOfIds<Row>(
  db: Db,
  ids: IdSet,
  request: WalkRequest,
  rowsOf: RowsOf<Row>,
): Promise<Walk<Row>> {
  const { items, ...walk } = await walkOf(request, async ({ after, limit }) => {
    const found = await sql<{ id: number }>`
      select id from (${ids}) as ids where id > ${after} order by id limit ${limit}`.execute(db);
    return found.rows;
  });
  return { ...walk, items: items.length > 0 ? await rowsOf(items.map(({ id }) => id)) : [] };
}

/** Sets of ids to intersect: those that an index has in the order of ids, and others. */
export interface Sets {
  readonly inOrder: readonly IdSet[];
  readonly others: readonly IdSet[];
}

/**
 * The ids that are in all of the sets. Fails without a set. SQLite reads sets in the order of ids beside one another, and
 * looks what is in all of them up in the others, which it reads whole. The plus sign keeps it from looking each id of
 * another set up in the first one: that took ten times as long. Each set ends when the time of the read is over. A
 * single set is one pass through an index, which the check would make a third dearer.
 */
export function intersection({ inOrder, others }: Sets, engine: Pick<Engine, 'name'>): IdSet {
  const sets = [...inOrder, ...others];
  if (sets.length === 1 || engine.name === 'postgres') return inAll(sets, sql`id`);
  const merged: IdSet[] = inOrder.length > 0 ? [sql`${sql.join(inOrder.map(inTime), sql` intersect `)}`] : [];
  return inAll([...merged, ...others.map(inTime)], sql`+id`);
}

/** The ids of the first set that are in all others. */
function inAll([first, ...others]: readonly IdSet[], id: RawBuilder<unknown>): IdSet {
  if (!first) throw new Error('A page of ids needs a set to choose from.');
  if (others.length === 0) return first;
  const inOthers = others.map((other) => sql`${id} in (${other})`);
  return sql`select id from (${first}) as first where ${sql.join(inOthers, sql` and `)}`;
}

function inTime(ids: IdSet): IdSet {
  return sql`select id from (${ids}) as ids where ${whileInTime(sql`id`)}`;
}
