import { sql } from 'kysely';
import type { Page, PageRequest } from '../domain/page.ts';
import { countedTable, type Seek } from '../store/counts.ts';
import { type IdSet, intersection, pageOfIds } from '../store/id-set.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import type { ListedRow, ListedState, Sort } from './contract.ts';
import { shareOf } from './excerpt.ts';
import { fromVisible, selectWithoutText } from './find.ts';
import { whenIndexed } from './index-words.ts';
import { pageInOrder, pageOfSetInOrder } from './order.ts';
import { contentMatching, searchOn } from './search.ts';

interface Filter {
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

type ContentQuery = PageRequest & Filter & { readonly sort?: Sort | undefined };

const counted = countedTable('content');

/**
 * Visible content that meets every given filter, by id or in another order. By id and without a filter, items are only
 * their states: `readListed` reads the texts of items whose JSON is not cached.
 */
export const listContent = readOperation(
  'content.list',
  async (db, query: ContentQuery, engine): Promise<Page<ListedState | ListedRow>> => {
    const { sort = 'id' } = query;
    if (!isFiltered(query) && sort === 'id')
      return counted.page(db, query, statesFrom(shareOf(query.per_page)), engine);
    if (query.keyword !== '' || query.created || query.updated || sort !== 'id')
      await searchOn(engine).prepare?.(db);
    const rowsOf = (ids: readonly number[]) =>
      selectListed(db, shareOf(query.per_page))
        .where('content.id', 'in', ids)
        .orderBy('content.id')
        .execute();
    if (sort === 'id') return pageOfIds(db, intersection(setsOf(query, engine)), query, rowsOf, engine);
    const { items, ...page } = isFiltered(query)
      ? await pageOfSetInOrder(db, intersection(setsOf(query, engine)), sort, query, engine)
      : await pageInOrder(db, sort, query);
    const rows = items.length > 0 ? await rowsOf(items) : [];
    return { ...page, items: rows.sort((one, other) => items.indexOf(one.id) - items.indexOf(other.id)) };
  },
  (query) => isFiltered(query) || (query.sort ?? 'id') !== 'id',
);

/** `limit` visible items from an id on, with their texts as a page of this size shows them. */
export const readListed = readOperation(
  'content.read_listed',
  (db, { id, limit, perPage }: { id: number; limit: number; perPage: number }): Promise<ListedRow[]> =>
    listedFrom(db, { id, offset: 0, limit, share: shareOf(perPage) }),
);

/** True if the list has a condition. */
function isFiltered({ keyword, category, tags, anyTags, author, created, updated }: Filter): boolean {
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
function selectListed(db: Db, share: number) {
  return selectWithoutText(db).select(textWithin(share));
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

function selectStates(db: Db, share: number) {
  return fromVisible(db).select([
    'content.id',
    'content.version',
    'content.updated_at',
    'content.slug',
    'content.author_id',
    'users.username as author_name',
    isCut(share),
  ]);
}

const listedFrom = statement((db, from: Seek & { limit: number; share: number }) =>
  selectListed(db, from.share)
    .where('content.id', '>=', from.id)
    .orderBy('content.id')
    .limit(atMost(from.limit))
    .offset(from.offset),
);

const listedStatesFrom = statement((db, from: Seek & { limit: number; share: number }) =>
  selectStates(db, from.share)
    .where('content.id', '>=', from.id)
    .orderBy('content.id')
    .limit(atMost(from.limit))
    .offset(from.offset),
);

function statesFrom(share: number) {
  return (db: Db, from: Seek & { limit: number }) => listedStatesFrom(db, { ...from, share });
}

/**
 * The visible items that meet each filter. An index has each set in the order of ids. The sets are ordered by their
 * usual size: an author has fewer items than a tag, a tag fewer than a category, and a category fewer than a
 * range of time.
 */
function setsOf(filter: Filter, engine: Engine): IdSet[] {
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
  if (keyword !== '') sets.push(contentMatching(keyword, engine));
  return sets;
}

function within(column: 'created_at' | 'updated_at', { from, before }: TimeRange): IdSet {
  const time = sql.ref(column);
  return sql`select id from content where visible = 1
    ${from === undefined ? sql`` : sql`and ${time} >= ${from}`}
    ${before === undefined ? sql`` : sql`and ${time} < ${before}`}`;
}

/** A page, and how many changes of content a search by words did not know yet. */
export type FoundPage = Page<ListedState | ListedRow> & { readonly lag: number };

/** The same, after a wait for the index of words. `inTurn` runs the part that is a search. */
export async function list(
  store: Store,
  query: ContentQuery,
  inTurn: <Found>(search: () => Promise<Found>) => Promise<Found> = (search) => search(),
): Promise<FoundPage> {
  const lag = query.keyword === '' ? 0 : await whenIndexed(store);
  const read = () => store.read(listContent, query);
  const page = await (listContent.isLong(query) ? inTurn(read) : read());
  return { ...page, lag };
}
