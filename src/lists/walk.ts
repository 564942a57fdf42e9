import type { ListedRow, ListedState } from '../content/contract.ts';
import { shareOf } from '../content/excerpt.ts';
import type { Reader } from '../content/visibility.ts';
import type { Walk, WalkRequest } from '../domain/page.ts';
import { searchOn } from '../search/search.ts';
import { walkOfIds } from '../store/id-set.ts';
import { readOperation } from '../store/operation.ts';
import { walkOf } from '../store/pages.ts';
import { type Filter, isFiltered, matching } from './filter.ts';
import { hidesSomeFrom } from './public.ts';
import { rowsWith, states } from './rows.ts';

type WalkQuery = WalkRequest & Filter & { readonly reader: Reader };

/** The next items by id that the reader may see, and that meet every given filter. Without a filter, items are only their states. */
export const walkContent = readOperation(
  'content.walk',
  async (db, query: WalkQuery, engine): Promise<Walk<ListedState | ListedRow>> => {
    const { reader } = query;
    const share = shareOf(query.per_page);
    if (!isFiltered(query))
      return walkOf(query, ({ after, limit }) =>
        states[reader](db, { id: after + 1, offset: 0, limit, share, slugs: 0 }),
      );
    await searchOn(engine).prepare?.(db);
    const ids = matching(query, engine, await hidesSomeFrom(db, reader));
    return walkOfIds(db, ids, query, (some) => rowsWith(db, some, share, reader));
  },
  isFiltered,
);
