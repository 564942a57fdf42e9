import type { Walk, WalkRequest } from '../domain/page.ts';
import { intersection, walkOfIds } from '../store/id-set.ts';
import { readOperation } from '../store/operation.ts';
import { walkOf } from '../store/pages.ts';
import type { ListedRow, ListedState } from './contract.ts';
import { shareOf } from './excerpt.ts';
import { type Filter, isFiltered, rowsWith, setsOf, statesFrom } from './list.ts';
import { searchOn } from './search.ts';

type WalkQuery = WalkRequest & Filter;

/** The next visible items by id that meet every given filter. Without a filter, items are only their states. */
export const walkContent = readOperation(
  'content.walk',
  async (db, query: WalkQuery, engine): Promise<Walk<ListedState | ListedRow>> => {
    const share = shareOf(query.per_page);
    if (!isFiltered(query))
      return walkOf(query, ({ after, limit }) => statesFrom(share)(db, { id: after + 1, offset: 0, limit }));
    await searchOn(engine).prepare?.(db);
    return walkOfIds(db, intersection(setsOf(query, engine)), query, (ids) => rowsWith(db, ids, share));
  },
  isFiltered,
);
