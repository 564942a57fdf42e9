/** The most bytes of UTF-8 in the content of one item (docs/decisions/content.md). */
export const MAX_CONTENT_BYTES = 1024 * 1024;
/** The same of all content in one page of a list. As JSON they may be six times as many (docs/decisions/content.md). */
export const PAGE_BYTES = 256 * 1024;
/** Characters that a list shows of a content beyond its share of the page. The schema has this number too. */
export const EXCERPT = 1_000;

/**
 * Every item of a page has an equal share of its bytes. So whether a content is whole depends on its own length and on
 * the size of the page, and not on the other items. The only item of a page is whole.
 */
export function shareOf(perPage: number): number {
  return perPage === 1 ? MAX_CONTENT_BYTES : Math.floor(PAGE_BYTES / perPage);
}
