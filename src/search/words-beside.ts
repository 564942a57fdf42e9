import type { SearchedTexts } from '../content/fields.ts';
import { Thread } from '../domain/thread.ts';

const thread = new Thread<readonly SearchedTexts[], readonly string[]>(
  new URL('./words-thread.ts', import.meta.url),
  { limit: 64, accepts: isTextEach, keepsAlive: false },
);

/**
 * The words of items, one text for each item (`wordsOfItem`). A thread makes them, because a long text takes many
 * milliseconds, and on PostgreSQL operations run in the HTTP thread.
 */
export function wordsBeside(items: readonly SearchedTexts[]): Promise<readonly string[]> {
  return thread.call(items);
}

function isTextEach(words: unknown, items: readonly SearchedTexts[]): boolean {
  return (
    Array.isArray(words) && words.length === items.length && words.every((text) => typeof text === 'string')
  );
}
