import { foldKey } from './text.ts';

/**
 * Words as the search over content knows them (decisions 0011). Both engines index what these functions
 * make, so both find the same.
 *
 * A word is a run of letters, marks and digits, folded. Scripts that are written without spaces go in as
 * overlapping pairs of characters, as in Lucene's CJKAnalyzer: a dictionary would change with each version
 * of the runtime. The last character of such a run goes in by itself as well, so that each character is
 * the beginning of a word.
 */

/** A text is found by the words of its first 100,000 UTF-16 code units, about 17,000 words of English. */
export const SEARCHED_UNITS = 100_000;
/** Code points of a word that count. Both engines take far longer ones, but no word of a language is. */
const WORD_LENGTH = 64;
/** A shorter beginning, as one or two Latin letters, has most texts: it only stands for itself. */
const PREFIX_BYTES = 3;

/** All of those scripts come after this one; what they share with others before it, as U+02BC, is not theirs. */
const FIRST_UNSPACED = '\u0e00';
const SCRIPTS = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const UNSPACED = String.raw`[\p{L}\p{M}\p{N}]&&${SCRIPTS}&&[${FIRST_UNSPACED}-\u{10ffff}]`;
const RUN = new RegExp(String.raw`[${UNSPACED}]+|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v');
/** Characters with nothing to see, which part no words: soft hyphens, joiners, variation selectors. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Words that stand in a row in a text. With `isPrefix` the last one is the beginning of a word. */
export interface Term {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** The words of a text in their order, as an index takes them. */
export function wordsOf(text: string): string[] {
  return runsOf(text).flatMap((run) => wordsOfRun(run, true));
}

/**
 * What a keyword asks for: a text must have each of the terms. Words between quotation marks are one term.
 * The last word may be the beginning of a word, unless the quotation marks around it are closed. A keyword
 * without any word has no terms.
 */
export function termsOf(keyword: string): Term[] {
  const parts = keyword.split('"');
  return parts.flatMap((part, at) => {
    const runs = runsOf(part);
    const isUnfinished = at === parts.length - 1;
    if (at % 2 === 1) return runs.length > 0 ? [termOf(runs, isUnfinished)] : [];
    return runs.map((run, place) => termOf([run], isUnfinished && place === runs.length - 1));
  });
}

function termOf(runs: readonly string[], isUnfinished: boolean): Term {
  const last = runs.length - 1;
  // Where another word follows, the run has ended, and its last character stands in between.
  const words = runs.flatMap((run, place) => wordsOfRun(run, place < last));
  return { words, isPrefix: mayBegin(runs[last] ?? '', isUnfinished) };
}

/** Of a run without spaces any part is found by its pairs, so a single character is always a beginning. */
function mayBegin(run: string, isUnfinished: boolean): boolean {
  if (isUnspaced(run)) return [...run].length === 1;
  return isUnfinished && Buffer.byteLength(run) >= PREFIX_BYTES;
}

/** The comparison spares nearly all words of other scripts the regular expression, which costs more than the rest. */
function isUnspaced(run: string): boolean {
  return run >= FIRST_UNSPACED && STARTS_UNSPACED.test(run);
}

function wordsOfRun(run: string, hasEnded: boolean): string[] {
  if (!isUnspaced(run)) return [run.length <= WORD_LENGTH ? run : firstCharacters(run)];
  const characters = [...run];
  const pairs = characters.slice(1).map((character, before) => `${characters[before]}${character}`);
  return hasEnded || pairs.length === 0 ? [...pairs, ...characters.slice(-1)] : pairs;
}

function firstCharacters(run: string): string {
  return [...run.slice(0, 2 * WORD_LENGTH)].slice(0, WORD_LENGTH).join('');
}

/** Folding makes some characters many, so what it made is bounded too. */
function runsOf(text: string): string[] {
  const folded = firstUnits(foldKey(firstUnits(text)));
  return folded.replace(IGNORED, '').match(RUN) ?? [];
}

function firstUnits(text: string): string {
  const first = text.slice(0, SEARCHED_UNITS);
  return first.isWellFormed() ? first : first.slice(0, -1);
}
