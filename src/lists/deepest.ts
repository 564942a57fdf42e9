import { offsetOf, type Page } from '../domain/page.ts';
import { type Filter, isFiltered } from './filter.ts';

/** The last item that the pages of a searched list reach. */
export const DEEPEST_SEARCHED = 10_000;

/** True for a list with a filter, or in another order than that of ids: a deep page reads all items before it. */
export function isSearched(query: Filter & { readonly sort?: string | undefined }): boolean {
  return isFiltered(query) || (query.sort ?? 'id') !== 'id';
}

/** The page with the last item that a searched list reaches. */
export function deepestPage({ per_page }: { readonly per_page: number }): number {
  return Math.ceil(DEEPEST_SEARCHED / per_page);
}

/** A page of a searched list, without items after the last one that it reaches. */
export function upToDeepest<List extends Page<unknown>>(list: List): List {
  const left = DEEPEST_SEARCHED - offsetOf(list);
  return list.items.length > left ? { ...list, items: list.items.slice(0, left) } : list;
}
