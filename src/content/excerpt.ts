/** Bytes of UTF-8 that all content in one page of a list may have: as much as a single item (decisions 0031). */
export const PAGE_BYTES = 1024 * 1024;
/** Characters that a list shows of a content that is longer than its share of the page. */
export const EXCERPT = 1_000;

/**
 * Every item of a page has an equal share of its bytes. Whether a content is whole then depends on itself
 * and on the size of the page, and not on the items that happen to be beside it.
 */
export function shareOf(perPage: number): number {
  return Math.floor(PAGE_BYTES / perPage);
}
