import type { ListedRow, ListedState } from '../content/contract.ts';
import type { ReadOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import { withHighlights } from './highlights.ts';
import { whenIndexed } from './index-words.ts';

interface Query {
  /** Empty for no search by words. */
  readonly keyword: string;
  /** True if the items come with what the keyword matches. */
  readonly highlights: boolean;
}

interface Listed {
  readonly items: readonly (ListedState | ListedRow)[];
}

/** `lag`: how many changes of content a search by words did not know yet. */
type Found<List> = List & { readonly lag: number };

/**
 * Reads a page of a list, or a step of a walk, after a wait for the index of words. `inTurn` runs the part that is a search.
 */
export async function searchInTurn<Asked extends Query, List extends Listed>(
  store: Store,
  operation: ReadOperation<Asked, List>,
  query: Asked,
  inTurn: (search: () => Promise<List>) => Promise<List>,
): Promise<Found<List>> {
  const { keyword, highlights } = query;
  const lag = keyword === '' ? 0 : await whenIndexed(store);
  const read = async () => {
    const list = await store.read(operation, query);
    return highlights ? { ...list, items: await withHighlights(list.items, keyword) } : list;
  };
  const list = await (operation.isLong(query) ? inTurn(read) : read());
  return { ...list, lag };
}
