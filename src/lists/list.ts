import type { ListedRow, ListedState } from '../content/contract.ts';
import { shareOf } from '../content/excerpt.ts';
import { STATE_BYTES } from '../content/find.ts';
import type { Reader } from '../content/visibility.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { pageByRelevance } from '../search/relevance.ts';
import { groupsFor, type Matched, searchOn } from '../search/search.ts';
import { countedTable } from '../store/counts.ts';
import { pageOfIds } from '../store/id-set.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { Sort } from './contract.ts';
import { endsEarly } from './deepest.ts';
import { type Filter, isFiltered, matching } from './filter.ts';
import { pageInOrder, pageOfSetInOrder, publicPageInOrder, withRows } from './order.ts';
import { hidesSomeFrom, membersOnly } from './public.ts';
import { rowsWith, states } from './rows.ts';

interface ContentQuery extends PageRequest, Filter {
  readonly sort?: Sort | undefined;
  /** A stranger where it is not given. */
  readonly reader?: Reader | undefined;
  /** True for what shows slugs of states, which are '' otherwise. */
  readonly slugs?: boolean | undefined;
}

/**
 * Visible content that meets every given filter, by id or in another order. By id and without a filter, items are only
 * their states: `readListed` reads the texts of items whose JSON is not cached.
 */
export const listContent = readOperation(
  'content.list',
  async (db, query: ContentQuery, engine): Promise<Page<ListedState | ListedRow>> => {
    const { sort = 'id', reader = 'stranger' } = query;
    if (!endsEarly(query)) return pageById(db, query, reader, engine);
    if (query.keyword !== '' || query.created || query.updated || sort !== 'id')
      await searchOn(engine).prepare?.(db);
    const rowsOf = (ids: readonly number[]) => rowsWith(db, ids, shareOf(query.per_page), reader);
    const hidesSome = await hidesSomeFrom(db, reader);
    if (sort === 'id') return pageOfIds(db, matching(query, engine, hidesSome), query, rowsOf, engine);
    return withRows(await idsInOrder(db, query, sort, engine, hidesSome), rowsOf);
  },
  endsEarly,
  ({ items }) => items.length * STATE_BYTES,
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

const counted = { account: countedTable('content'), stranger: countedTable('content_public') };

/** A page of all that the reader may see. Where no item is for members only, a stranger gets the page of an account. */
async function pageById(
  db: Db,
  request: ContentQuery,
  reader: Reader,
  engine: Engine,
): Promise<Page<ListedState>> {
  const share = shareOf(request.per_page);
  const pageOf = (who: Reader) =>
    counted[who].page(
      db,
      request,
      (on, from) => states[who](on, { ...from, share, slugs: request.slugs ? 1 : 0 }),
      engine,
    );
  if (reader === 'account') return pageOf('account');
  const [hidden, page] = await Promise.all([membersOnly.total(db), pageOf('account')]);
  if (hidden > 0) return pageOf('stranger');
  // An item may have been hidden from strangers between the statements.
  return { ...page, items: page.items.filter(({ visibility }) => visibility === 'public') };
}
