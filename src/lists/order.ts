import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import { countedTable } from '../store/counts.ts';
import { inTimeOn } from '../store/deadline.ts';
import type { IdSet } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import { countThenPage } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import type { Sort } from './contract.ts';
import { isPublic } from './public.ts';

/**
 * A set of at most this many items is sorted. For a larger one, the index of the order is read from its beginning, and
 * items that are not in the set are passed over.
 */
export const SORTED = 1_000;

/** The orders of a list beside that of ids. Each one ends with the id, so no item is on two pages. */
export const ORDERS = {
  newest: sql`created_at desc, id desc`,
  oldest: sql`created_at, id`,
  changed: sql`updated_at desc, id desc`,
  title: sql`title_key, id`,
} satisfies Record<Order, RawBuilder<unknown>>;

export type Order = Exclude<Sort, 'id' | 'relevance'>;

const counted = countedTable('content');
const publicCounted = countedTable('content_public');

/** A page of all visible items in the order, by their ids, and the exact total. */
export async function pageInOrder(db: Db, order: Order, request: PageRequest): Promise<Page<number>> {
  const { page, per_page } = request;
  const total = await counted.total(db);
  const offset = offsetOf(request);
  const items = offset < total ? await idsOf(inOrder(db, order).limit(per_page).offset(offset)) : [];
  return { items, total, page, per_page };
}

/** The same of the items that strangers see. */
export async function publicPageInOrder(
  db: Db,
  order: Order,
  request: PageRequest,
  engine: Engine,
): Promise<Page<number>> {
  const total = await publicCounted.total(db);
  if (total <= SORTED) return pageOfSetInOrder(db, PUBLIC, order, request, engine);
  const { page, per_page } = request;
  const offset = offsetOf(request);
  const shown = inOrder(db, order).where(isPublic(sql`content_order.id`, engine));
  const items = offset < total ? await idsOf(shown.limit(per_page).offset(offset)) : [];
  return { items, total, page, per_page };
}

const PUBLIC: IdSet = sql`select id from content where visible = 1 and visibility = 'public'`;

/** A page of the items of a set in the order, by their ids, and the exact total. */
export async function pageOfSetInOrder(
  db: Db,
  ids: IdSet,
  order: Order,
  request: PageRequest,
  engine: Engine,
): Promise<Page<number>> {
  const { page, per_page } = request;
  const all = db.selectFrom(sql<{ id: number }>`(${ids})`.as<'ids'>('ids'));
  const few = await idsOf(all.select('ids.id').limit(SORTED + 1));
  if (few.length <= SORTED) {
    const offset = offsetOf(request);
    const items =
      offset < few.length
        ? await idsOf(inOrder(db, order).where('id', 'in', few).limit(per_page).offset(offset))
        : [];
    return { items, total: few.length, page, per_page };
  }
  return countThenPage(request, all, (offset) =>
    idsOf(
      inOrder(db, order)
        // With the plus sign, SQLite reads the index of the order instead of sorting the whole set.
        .where(sql<boolean>`+id in (${ids}) and ${inTimeOn(engine, sql`id`)}`)
        .limit(per_page)
        .offset(offset),
    ),
  );
}

function inOrder(db: Db, order: Order) {
  return db.selectFrom('content_order').select('id').orderBy(ORDERS[order]);
}

/** The page of these ids with its rows, which `rowsOf` reads in any order. */
export async function withRows<Row extends { readonly id: number }>(
  { items: ids, ...page }: Page<number>,
  rowsOf: (ids: readonly number[]) => Promise<Row[]>,
): Promise<Page<Row>> {
  const rows = ids.length > 0 ? await rowsOf(ids) : [];
  return { ...page, items: rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)) };
}

export async function idsOf(query: { execute(): Promise<{ id: number }[]> }): Promise<number[]> {
  return (await query.execute()).map(({ id }) => id);
}
