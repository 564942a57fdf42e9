import { SEARCHED, type SearchedTexts } from '../content/fields.ts';
import { shortPairsOf, wordsOf } from '../domain/words.ts';

/** This is no word, so no phrase spans the end of one text and the beginning of the next. */
const BETWEEN = '|';

/** The words of these searched texts of an item, in the form that both engines index. */
export function wordsOfItem(texts: Partial<SearchedTexts>): string {
  const given = SEARCHED.filter((name) => texts[name] !== undefined);
  const words = given.flatMap((name) => [BETWEEN, ...wordsOf(texts[name] ?? '')]);
  return words.slice(1).join(' ');
}

/** The pairs of short words in texts that `wordsOfItem` made. No pair spans two texts either. */
export function pairsIn(texts: readonly string[]): string {
  const parts = texts.flatMap((text) => text.split(` ${BETWEEN} `));
  return parts.flatMap((part) => shortPairsOf(part.split(' '))).join(' ');
}
