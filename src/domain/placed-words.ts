import { foldKey, isAscii } from './text.ts';
import { firstUnits, IGNORED, isUnspaced, RUN, SEARCHED_UNITS, wordsOfRun } from './words.ts';

/** A part of a text without white space. It is folded by itself, because folding joins nothing across a space. */
interface Segment {
  readonly text: string;
  /** Where it begins in the text, in UTF-16 units. */
  readonly at: number;
  /** Folded, without what separates no words. */
  readonly folded: string;
  /** Where that begins among all folded segments. */
  readonly start: number;
}

/** A word of a text. Its place is that in the folded text. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** True if the text was cut inside of the word or right after it. */
  readonly isOpen: boolean;
}

/** The words of a text, as `wordsOf` has them, and where they stand. */
export interface PlacedWords {
  readonly words: readonly PlacedWord[];
  /** The part of the text from which a part of the folded text was made, in UTF-16 units. */
  originOf(start: number, end: number): [from: number, to: number];
}

const SEGMENT = /[^\t-\r ]+/g;
/**
 * A character and those after it that may be joined with it: marks, and the parts of a syllable in Korean and Kirat Rai.
 * Invisible characters are by themselves.
 */
const CLUSTER =
  /[^\p{DI}][[\p{M}\u1160-\u11ff\u3130-\u318f\ud7b0-\ud7ff\uff9e-\uffdc\u{16d60}-\u{16d7f}]--\p{DI}]*|\p{DI}+/gv;

/** The words by which a text is found. `isCut`: the text is only the beginning of another one. */
export function placedWords(text: string, isCut: boolean): PlacedWords {
  const searched = firstUnits(text);
  const segments = segmentsOf(searched);
  const words: PlacedWord[] = [];
  for (const { folded, start, at, text: own } of segments) {
    const mayGoOn = isCut && at + own.length === searched.length;
    for (const { 0: run, index } of folded.matchAll(RUN)) {
      const isOpen = mayGoOn && index + run.length === folded.length;
      words.push(...wordsAt(run, start + index, isOpen));
    }
  }
  return { words, originOf: (start, end) => [unitAt(segments, start).from, unitAt(segments, end - 1).to] };
}

/** The same bounds as in `wordsOf`: the folded text is not longer than the searched one may be. */
function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let [end, length, start] = [0, 0, 0];
  for (const { 0: own, index } of text.matchAll(SEGMENT)) {
    length += index - end;
    const all = foldKey(own);
    const folded = firstUnits(all, Math.max(0, SEARCHED_UNITS - length)).replace(IGNORED, '');
    segments.push({ text: own, at: index, folded, start });
    length += all.length;
    // No word ends where another segment begins.
    start += folded.length + 1;
    end = index + own.length;
  }
  return segments;
}

function wordsAt(run: string, start: number, isOpen: boolean): PlacedWord[] {
  const words = wordsOfRun(run, true);
  if (!isUnspaced(run)) return words.map((word) => ({ word, start, end: start + run.length, isOpen }));
  let at = start;
  return words.map((word, index) => {
    const placed = { word, start: at, end: at + word.length, isOpen: isOpen && index === words.length - 1 };
    at += String.fromCodePoint(word.codePointAt(0) ?? 0).length;
    return placed;
  });
}

/** The characters of the text from which a place of the folded text was made. */
function unitAt(segments: readonly Segment[], place: number): { from: number; to: number } {
  const segment = segments.findLast(({ start }) => start <= place);
  if (!segment) throw new Error('No segment has this place.');
  const { text, at, folded, start } = segment;
  const offset = place - start;
  if (isAscii(text)) return { from: at + offset, to: at + offset + 1 };
  const clusters: { readonly from: number; readonly start: number }[] = [];
  let made = '';
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    clusters.push({ from: index, start: made.length });
    made += foldKey(cluster).replace(IGNORED, '');
  }
  // Where the characters join in another way, the whole segment stands for each of them.
  if (!made.startsWith(folded)) return { from: at, to: at + text.length };
  const found = clusters.findLastIndex((cluster) => cluster.start <= offset);
  const from = clusters[found]?.from ?? 0;
  return { from: at + from, to: at + (clusters[found + 1]?.from ?? text.length) };
}
