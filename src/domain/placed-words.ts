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
  const known = new Map<Segment, readonly Cluster[] | undefined>();
  const unitAt = (place: number) => {
    const segment = segments.findLast(({ start }) => start <= place);
    if (!segment) throw new Error('No segment has this place.');
    // A text of a script without spaces is one segment, whose clusters are not made again for each place.
    if (!known.has(segment)) known.set(segment, clustersOf(segment));
    return unitIn(segment, known.get(segment), place - segment.start);
  };
  return { words, originOf: (start, end) => [unitAt(start).from, unitAt(end - 1).to] };
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

/** A cluster of a segment: where it begins there, and where in the folded segment. */
interface Cluster {
  readonly from: number;
  readonly start: number;
}

/** Undefined where each character of the segment is one of the folded one, or where they join in another way. */
function clustersOf({ text, folded }: Segment): Cluster[] | undefined {
  if (isAscii(text)) return undefined;
  const clusters: Cluster[] = [];
  let made = '';
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    clusters.push({ from: index, start: made.length });
    made += foldKey(cluster).replace(IGNORED, '');
  }
  return made.startsWith(folded) ? clusters : undefined;
}

/** The characters of the text from which a place of the folded segment was made. */
function unitIn({ text, at }: Segment, clusters: readonly Cluster[] | undefined, offset: number) {
  if (!clusters) {
    // Where the characters join in another way, the whole segment stands for each of them.
    return isAscii(text) ? { from: at + offset, to: at + offset + 1 } : { from: at, to: at + text.length };
  }
  const found = clusters.findLastIndex((cluster) => cluster.start <= offset);
  const from = clusters[found]?.from ?? 0;
  return { from: at + from, to: at + (clusters[found + 1]?.from ?? text.length) };
}
