import { offsetOf, type Page } from '../domain/page.ts';
import { type Filter, isFiltered } from './filter.ts';

/** The last item that a list which ends early has. */
export const DEEPEST_ITEM = 10_000;

/** True for a list with a filter, or in another order than that of ids: a deep page would read all items before it. */
export function endsEarly(query: Filter & { readonly sort?: string | undefined }): boolean {
  return isFiltered(query) || (query.sort ?? 'id') !== 'id';
}

/** The page that has `DEEPEST_ITEM`. */
export function deepestPage({ per_page }: { readonly per_page: number }): number {
  return Math.ceil(DEEPEST_ITEM / per_page);
}

/** A page of a list that ends early, without items after `DEEPEST_ITEM`. */
export function upToDeepest<List extends Page<unknown>>(list: List): List {
  const left = DEEPEST_ITEM - offsetOf(list);
  return list.items.length > left ? { ...list, items: list.items.slice(0, left) } : list;
}
