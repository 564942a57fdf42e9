import { type RawBuilder, sql } from 'kysely';
import type { ListedRow } from '../content/contract.ts';
import { selectChangeable } from '../content/draft-items.ts';
import { shareOf } from '../content/excerpt.ts';
import { textWithin } from '../content/text-within.ts';
import type { Page, PageRequest, Walk, WalkRequest } from '../domain/page.ts';
import { inTimeOn } from '../store/deadline.ts';
import { type IdSet, pageOfIds, walkOfIds } from '../store/id-set.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { countThenPage } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import { type Filter, isIn, isWithin } from './filter.ts';
import { idsOf, ORDERS, type Order, withRows } from './order.ts';
import { LISTED } from './rows.ts';

interface DraftsQuery extends Omit<Filter, 'keyword'> {
  /** Items that are drafts, or published ones with a draft beside them. */
  readonly status: 'draft' | 'with_draft';
  readonly userId: number;
}

/** The drafts, or the items with drafts, that an account may change, and that meet every given filter: a page in the order. */
export const listDrafts = readOperation(
  'content.list_drafts',
  async (
    db,
    query: DraftsQuery & PageRequest & { sort?: 'id' | Order },
    engine,
  ): Promise<Page<ListedRow>> => {
    const { sort = 'id', ...asked } = query;
    const drafts = draftsOf(db, asked, engine);
    const rowsOf = (ids: readonly number[]) => rowsWith(db, ids, asked.per_page);
    if (sort === 'id') return pageOfIds(db, drafts, asked, rowsOf, engine);
    return withRows(await idsInOrder(db, drafts, sort, asked, engine), rowsOf);
  },
  () => true,
);

/**
 * The page is sorted by rows: the index of an order has only what everybody sees. An item with a draft beside it changed
 * when that was saved.
 */
function idsInOrder(
  db: Db,
  drafts: IdSet,
  order: Order,
  request: PageRequest,
  engine: Engine,
): Promise<Page<number>> {
  // As in the view `content_order`.
  const titleKey =
    engine.name === 'sqlite' ? sql`lower(content.title)` : sql`lower(content.title collate "C")`;
  const all = db.selectFrom(
    sql<{ id: number }>`(
      select id, created_at, coalesce(saved_at, updated_at) as updated_at, ${titleKey} as title_key
      from content left join content_drafts on content_id = id where id in (${drafts})
    )`.as<'drafts'>('drafts'),
  );
  const page = all.select('drafts.id').orderBy(ORDERS[order]).limit(request.per_page);
  return countThenPage(request, all, (offset) => idsOf(page.offset(offset)));
}

/** The next of these items by id. */
export const walkDrafts = readOperation(
  'content.walk_drafts',
  (db, query: DraftsQuery & WalkRequest, engine): Promise<Walk<ListedRow>> =>
    walkOfIds(db, draftsOf(db, query, engine), query, (ids) => rowsWith(db, ids, query.per_page)),
  () => true,
);

/** Drafts are few, so their rows are read: the indexes of labels and times have only what everybody sees. */
function draftsOf(db: Db, { userId, status, ...filter }: DraftsQuery, engine: Engine): IdSet {
  const drafts = selectChangeable(db, { userId })
    .where((eb) =>
      status === 'draft'
        ? eb('content.status', '=', status)
        : eb('content.id', 'in', eb.selectFrom('content_drafts').select('content_id')),
    )
    .where((eb) => eb.and([inTimeOn(engine, sql`content.id`), ...conditionsOf(filter, engine)]))
    .select('content.id');
  return sql`${drafts}`;
}

function conditionsOf(filter: Omit<Filter, 'keyword'>, engine: Engine): RawBuilder<boolean>[] {
  const { author, category, language = '', tags = [], anyTags = [], created, updated } = filter;
  const labels =
    engine.name === 'sqlite'
      ? sql`select value from json_each(content.tags)`
      : sql`select json_array_elements_text(content.tags::json)`;
  const hasTag = (tag: string) => sql<boolean>`${tag} in (${labels})`;
  return [
    ...(author === undefined ? [] : [sql<boolean>`content.author_id = ${author}`]),
    ...(category === '' ? [] : [sql<boolean>`category = ${category}`]),
    ...tags.map(hasTag),
    ...(anyTags.length === 0 ? [] : [sql<boolean>`(${sql.join(anyTags.map(hasTag), sql` or `)})`]),
    ...(created ? [isWithin('created_at', created)] : []),
    ...(updated ? [isWithin('updated_at', updated)] : []),
    ...(language === '' ? [] : [isIn(language, engine)]),
  ];
}

function rowsWith(db: Db, ids: readonly number[], perPage: number): Promise<ListedRow[]> {
  return db
    .selectFrom('content')
    .innerJoin('users', 'users.id', 'content.author_id')
    .select([...LISTED, ...textWithin(shareOf(perPage))])
    .where('content.id', 'in', ids)
    .orderBy('content.id')
    .execute();
}
