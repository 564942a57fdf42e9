import type { Highlights, ListedRow, ListedState } from '../content/contract.ts';
import { Thread } from '../domain/thread.ts';

export interface SearchedPage {
  readonly keyword: string;
  readonly items: readonly { readonly title: string; readonly content: string; readonly isCut: boolean }[];
}

const thread = new Thread<SearchedPage, readonly Highlights[]>(
  new URL('./highlights-thread.ts', import.meta.url),
  { limit: 64, accepts: isForEach, keepsAlive: false },
);

/** The same items, each with what the keyword matches. A thread looks, because a page may have 256 KiB of texts. */
export async function withHighlights(
  items: readonly (ListedState | ListedRow)[],
  keyword: string,
): Promise<ListedRow[]> {
  const rows = items.filter((item) => 'content' in item);
  const texts = rows.map(({ title, content, is_cut }) => ({ title, content, isCut: (is_cut & 1) !== 0 }));
  const found = rows.length > 0 ? await thread.call({ keyword, items: texts }) : [];
  return rows.map((row, index) => ({ ...row, highlights: found[index] }));
}

function isForEach(found: unknown, { items }: SearchedPage): boolean {
  return Array.isArray(found) && found.length === items.length;
}
