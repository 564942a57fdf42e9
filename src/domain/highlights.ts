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
  const first = apart(placesOf(words, terms), MOST_RANGES);
  return inCodePoints(text, apart(first.map(([start, end]) => originOf(start, end))));
}

/** Where the terms stand in the folded text, in its order. One by one, because a text of one word may have millions. */
function* placesOf(words: readonly PlacedWord[], terms: readonly Term[]): Generator<Range> {
  for (const [at, { start }] of words.entries())
    for (const term of terms) {
      const end = endOf(words, at, term);
      if (end !== undefined) yield [start, end];
    }
}

/** Where the term ends that begins with this word; undefined where it is not there. */
function endOf(
  words: readonly PlacedWord[],
  at: number,
  { words: wanted, isPrefix }: Term,
): number | undefined {
  const last = wanted.length - 1;
  for (const [index, word] of wanted.entries()) {
    const placed = words[at + index];
    if (!placed) return undefined;
    if (isPrefix && index === last)
      return placed.word.startsWith(word) ? placed.start + word.length : undefined;
    if (placed.word !== word || placed.isOpen) return undefined;
  }
  return words[at + last]?.end;
}

/** The first of these ranges, which are in their order; those that overlap are one. */
function apart(ranges: Iterable<Range>, most = Number.POSITIVE_INFINITY): Range[] {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges) {
    const last = joined.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else if (joined.length === most) break;
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
