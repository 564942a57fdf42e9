/** Bytes of UTF-8 that the content of one item may have (decisions 0008). */
export const MAX_CONTENT_BYTES = 1024 * 1024;
/** Bytes of UTF-8 that all content in one page of a list may have; as JSON they may be six times as many (decisions 0031). */
export const PAGE_BYTES = 256 * 1024;
/** Characters that a list shows of a content that is longer than its share of the page, as the schema has it. */
export const EXCERPT = 1_000;

/**
 * Every item of a page has an equal share of its bytes. Whether a content is whole then depends on itself
 * and on the size of the page, and not on the items that happen to be beside it. An item alone on its page is
 * whole.
 */
export function shareOf(perPage: number): number {
  return perPage === 1 ? MAX_CONTENT_BYTES : Math.floor(PAGE_BYTES / perPage);
}
