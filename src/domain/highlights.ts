import { type PlacedWord, placedWords } from './placed-words.ts';
import { codePoints } from './text.ts';
import type { Term } from './words.ts';

/** Code points of a text, counted from 0: from the first one to before the second one. */
export type Range = readonly [from: number, to: number];

/** The most ranges of one text. */
export const MOST_RANGES = 20;

/**
 * What the terms match in a text, in its order: the first ranges, none of which overlaps another. Of a word that a term
 * only begins, the beginning. `isCut`: the text is only the beginning of the one that was searched.
 */
export function highlightsIn(text: string, terms: readonly Term[], isCut: boolean): Range[] {
  const { words, originOf } = placedWords(text, isCut);
  const found = terms.flatMap((term) => placesOf(words, term));
  const first = apart(found).slice(0, MOST_RANGES);
  return inCodePoints(text, apart(first.map(([start, end]) => originOf(start, end))));
}

/** Where the term stands in the folded text. */
function placesOf(words: readonly PlacedWord[], { words: wanted, isPrefix }: Term): Range[] {
  const [first = ''] = wanted;
  const last = wanted.length - 1;
  const places: Range[] = [];
  for (const [at, { word: begin, start }] of words.entries()) {
    if (!begin.startsWith(first)) continue;
    const end = words[at + last];
    const isThere = wanted.every((word, index) => {
      const placed = words[at + index];
      if (isPrefix && index === last) return placed?.word.startsWith(word);
      return placed?.word === word && !placed.isOpen;
    });
    if (end && isThere) places.push([start, isPrefix ? end.start + (wanted[last] ?? '').length : end.end]);
  }
  return places;
}

/** The ranges in their order; those that overlap are one. */
function apart(ranges: readonly Range[]): Range[] {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = joined.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function inCodePoints(text: string, ranges: readonly Range[]): Range[] {
  let [unit, point] = [0, 0];
  const pointAt = (place: number) => {
    point += codePoints(text.slice(unit, place));
    unit = place;
    return point;
  };
  return ranges.map(([from, to]) => [pointAt(from), pointAt(to)]);
}
