import type { ListedRow, ListedState } from '../content/contract.ts';
import { SEARCHED } from '../content/fields.ts';
import type { Range } from '../domain/highlights.ts';
import { Thread } from '../domain/thread.ts';

export interface SearchedPage {
  readonly keyword: string;
  /** The searched texts of each item. */
  readonly items: readonly (readonly ShownText[])[];
}

interface ShownText {
  readonly text: string;
  /** True where the list shows only the beginning of the text that was searched. */
  readonly isCut: boolean;
}

const thread = new Thread<SearchedPage, readonly (readonly Range[])[][]>(
  new URL('./highlights-thread.ts', import.meta.url),
  { limit: 64, accepts: isForEach, keepsAlive: false },
);

/** The same items, each with what the keyword matches. A thread looks, because a page may have 256 KiB of texts. */
export async function withHighlights(
  items: readonly (ListedState | ListedRow)[],
  keyword: string,
): Promise<ListedRow[]> {
  const rows = items.filter((item) => 'content' in item);
  const texts = rows.map((row) =>
    SEARCHED.map((name) => ({ text: row[name], isCut: name === 'content' && (row.is_cut & 1) !== 0 })),
  );
  const found = rows.length > 0 ? await thread.call({ keyword, items: texts }) : [];
  return rows.map((row, index) => ({
    ...row,
    highlights: Object.fromEntries(SEARCHED.map((name, place) => [name, found[index]?.[place] ?? []])),
  }));
}

function isForEach(found: unknown, { items }: SearchedPage): boolean {
  return Array.isArray(found) && found.length === items.length;
}
