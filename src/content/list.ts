import { sql } from 'kysely';
import type { Page, PageRequest } from '../domain/page.ts';
import { countedTable, type Seek } from '../store/counts.ts';
import { type IdSet, intersection, pageOfIds } from '../store/id-set.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { ListedRow, ListedState, Sort } from './contract.ts';
import { shareOf } from './excerpt.ts';
import { fromVisible, selectWithoutText } from './find.ts';
import { pageInOrder, pageOfSetInOrder, publicPageInOrder } from './order.ts';
import { hidesSomeFrom, membersOnly, publicAmong } from './public.ts';
import { pageByRelevance } from './relevance.ts';
import { contentMatching, groupsFor, type Matched, searchOn } from './search.ts';
import { byReader, type Reader } from './visibility.ts';

export interface Filter {
  /** Empty for no filter. */
  readonly keyword: string;
  readonly category: string;
  /** Items that have all of these tags. */
  readonly tags?: readonly string[];
  /** Items that have any of these tags; empty for no filter. */
  readonly anyTags?: readonly string[];
  readonly author?: number | undefined;
  /** Undefined for every time. */
  readonly created?: TimeRange | undefined;
  readonly updated?: TimeRange | undefined;
}

/** Milliseconds since 1970: from a time on, and before a time. */
interface TimeRange {
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

interface ContentQuery extends PageRequest, Filter {
  readonly sort?: Sort | undefined;
  /** A stranger where it is not given. */
  readonly reader?: Reader | undefined;
}

/**
 * Visible content that meets every given filter, by id or in another order. By id and without a filter, items are only
 * their states: `readListed` reads the texts of items whose JSON is not cached.
 */
export const listContent = readOperation(
  'content.list',
  async (db, query: ContentQuery, engine): Promise<Page<ListedState | ListedRow>> => {
    const { sort = 'id', reader = 'stranger' } = query;
    if (!isFiltered(query) && sort === 'id') return pageById(db, query, reader, engine);
    if (query.keyword !== '' || query.created || query.updated || sort !== 'id')
      await searchOn(engine).prepare?.(db);
    const rowsOf = (ids: readonly number[]) => rowsWith(db, ids, shareOf(query.per_page), reader);
    const hidesSome = await hidesSomeFrom(db, reader);
    if (sort === 'id') return pageOfIds(db, matching(query, engine, hidesSome), query, rowsOf, engine);
    const { items, ...page } = await idsInOrder(db, query, sort, engine, hidesSome);
    const rows = items.length > 0 ? await rowsOf(items) : [];
    return { ...page, items: rows.sort((one, other) => items.indexOf(one.id) - items.indexOf(other.id)) };
  },
  (query) => isFiltered(query) || (query.sort ?? 'id') !== 'id',
);

function idsInOrder(
  db: Db,
  query: ContentQuery,
  sort: Exclude<Sort, 'id'>,
  engine: Engine,
  hidesSome: boolean,
): Promise<Page<number>> {
  const matched = (words?: Matched) => matching(query, engine, hidesSome, words);
  if (sort === 'relevance') return pageByRelevance(db, groupsFor(query.keyword).map(matched), query, engine);
  if (isFiltered(query)) return pageOfSetInOrder(db, matched(), sort, query, engine);
  return (hidesSome ? publicPageInOrder : pageInOrder)(db, sort, query, engine);
}

/** Those that meet every filter of the query, without what is hidden from its reader. */
export function matching(filter: Filter, engine: Engine, hidesSome: boolean, words?: Matched): IdSet {
  const ids = intersection(setsOf(filter, engine, words));
  return hidesSome ? publicAmong(ids) : ids;
}

/** The items with these ids, by id, as a page with this share shows them. */
export function rowsWith(
  db: Db,
  ids: readonly number[],
  share: number,
  reader: Reader,
): Promise<ListedRow[]> {
  return selectListed(db, reader, share).where('content.id', 'in', ids).orderBy('content.id').execute();
}

/** `limit` visible items from an id on, with their texts as a page of this size shows them. */
export const readListed = readOperation(
  'content.read_listed',
  (
    db,
    { id, limit, perPage, reader }: { id: number; limit: number; perPage: number; reader: Reader },
  ): Promise<ListedRow[]> => listed[reader](db, { id, offset: 0, limit, share: shareOf(perPage) }),
);

/** True if the list has a condition. */
export function isFiltered({ keyword, category, tags, anyTags, author, created, updated }: Filter): boolean {
  return (
    keyword !== '' ||
    category !== '' ||
    author !== undefined ||
    [tags, anyTags].some((labels) => labels && labels.length > 0) ||
    created !== undefined ||
    updated !== undefined
  );
}

const LENGTH = sql`octet_length(content.content)`;
const META_LENGTH = sql`octet_length(content.meta)`;

/** Records with `textWithin` a share. */
function selectListed(db: Db, reader: Reader, share: number) {
  return selectWithoutText(db, reader).select(textWithin(share));
}

/**
 * The content if it has at most `share` bytes, else its beginning, and a `meta` of at most as many. The database does not
 * read longer content.
 */
export function textWithin(share: number) {
  return [
    sql<string>`case when ${LENGTH} <= ${share} then content.content
      else content.excerpt end`.as('content'),
    sql<string>`case when ${META_LENGTH} <= ${share} then content.meta else '{}' end`.as('meta'),
    isCut(share),
  ] as const;
}

function isCut(share: number) {
  return sql<number>`case when ${LENGTH} <= ${share} then 0 else 1 end
    + case when ${META_LENGTH} <= ${share} then 0 else 2 end`.as('is_cut');
}

function selectStates(db: Db, reader: Reader, share: number) {
  return fromVisible(db, reader).select([
    'content.id',
    'content.version',
    'content.updated_at',
    'content.slug',
    'content.author_id',
    'content.visibility',
    'users.username as author_name',
    isCut(share),
  ]);
}

type RowsFrom = Seek & { readonly limit: number; readonly share: number };

const listed = byReader((reader) =>
  statement((db, from: RowsFrom) =>
    selectListed(db, reader, from.share)
      .where('content.id', '>=', from.id)
      .orderBy('content.id')
      .limit(atMost(from.limit))
      .offset(from.offset),
  ),
);

/** Reads the states of the items that a reader may see, from a place on. */
export const states = byReader((reader) =>
  statement((db, from: RowsFrom) =>
    selectStates(db, reader, from.share)
      .where('content.id', '>=', from.id)
      .orderBy('content.id')
      .limit(atMost(from.limit))
      .offset(from.offset),
  ),
);

const counted = { account: countedTable('content'), stranger: countedTable('content_public') };

/** A page of all that the reader may see. Where no item is for members only, a stranger gets the page of an account. */
async function pageById(
  db: Db,
  request: PageRequest,
  reader: Reader,
  engine: Engine,
): Promise<Page<ListedState>> {
  const share = shareOf(request.per_page);
  const pageOf = (who: Reader) =>
    counted[who].page(db, request, (on, from) => states[who](on, { ...from, share }), engine);
  if (reader === 'account') return pageOf('account');
  const [hidden, page] = await Promise.all([membersOnly.total(db), pageOf('account')]);
  if (hidden > 0) return pageOf('stranger');
  // An item may have been hidden from strangers between the statements.
  return { ...page, items: page.items.filter(({ visibility }) => visibility === 'public') };
}

/**
 * The visible items that meet each filter. An index has each set in the order of ids. The sets are ordered by their
 * usual size: an author has fewer items than a tag, a tag fewer than a category, and a category fewer than a
 * range of time. `matched` says how items match the keyword.
 */
export function setsOf(filter: Filter, engine: Engine, matched?: Matched): IdSet[] {
  const { author, tags = [], anyTags = [], category, keyword, created, updated } = filter;
  const sets: IdSet[] = [];
  if (author !== undefined)
    sets.push(sql`select id from content where author_id = ${author} and visible = 1`);
  for (const tag of tags) sets.push(sql`select content_id as id from content_tags where tag = ${tag}`);
  if (anyTags.length > 0)
    sets.push(sql`select distinct content_id as id from content_tags where tag in (${sql.join(anyTags)})`);
  // The last condition allows the partial index.
  if (category !== '')
    sets.push(sql`select id from content where category = ${category} and visible = 1 and category <> ''`);
  if (created) sets.push(within('created_at', created));
  if (updated) sets.push(within('updated_at', updated));
  if (keyword !== '') sets.push(contentMatching(keyword, engine, matched));
  return sets;
}

function within(column: 'created_at' | 'updated_at', { from, before }: TimeRange): IdSet {
  const time = sql.ref(column);
  return sql`select id from content where visible = 1
    ${from === undefined ? sql`` : sql`and ${time} >= ${from}`}
    ${before === undefined ? sql`` : sql`and ${time} < ${before}`}`;
}
