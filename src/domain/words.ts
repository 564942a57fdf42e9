import { firstCodePoints, foldKey } from './text.ts';

/**
 * Words as the search over content knows them (docs/decisions/lists-and-search.md). Both engines index the words that
 * these functions make, so both find the same items.
 *
 * A word is a run of letters, marks and digits, folded. A run of a script without spaces is indexed as overlapping
 * pairs of characters, as in Lucene's CJKAnalyzer: a dictionary would change with each version of the runtime. The last
 * character of such a run is also a word, so that each character begins a word.
 */

/** A text is found by the words of its first 100,000 UTF-16 code units, about 17,000 words of English. */
export const SEARCHED_UNITS = 100_000;
/** Only the first 64 code points of a word count. Both engines take longer words, but no language has them. */
const WORD_LENGTH = 64;
/**
 * The fewest bytes of a prefix. A shorter last word, such as two Latin letters, begins a word of most texts. So it is
 * not used as a prefix.
 */
const PREFIX_BYTES = 3;
/** The most bytes of a word in a pair. */
const SHORT_BYTES = 3;

/**
 * The first character of all these scripts. Earlier characters to which `scx` also gives these scripts, such as U+02BC,
 * belong to other scripts too and are left out.
 */
const FIRST_UNSPACED = '\u0e00';
const SCRIPTS = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const UNSPACED = String.raw`[\p{L}\p{M}\p{N}]&&${SCRIPTS}&&[${FIRST_UNSPACED}-\u{10ffff}]`;
/** A run of characters that belong together in a folded text. */
export const RUN = new RegExp(String.raw`[${UNSPACED}]+|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v');
/** Invisible characters that do not separate words: soft hyphens, joiners, variation selectors. */
export const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Words that follow one another in a text. With `isPrefix` the last one is the beginning of a word. */
export interface Term {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** The words of a text in their order, for an index. */
export function wordsOf(text: string): string[] {
  return runsOf(text).flatMap((run) => wordsOfRun(run, true));
}

/**
 * The terms of a keyword, all of which a text must have. Words in quotation marks are one term. The last word may be
 * the beginning of a word, unless its quotation marks are closed. A keyword without words has no terms.
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

/** The words of a keyword in a row, as the one term of a phrase. Its quotation marks do not count. */
export function phraseOf(keyword: string): Term[] {
  const last = termsOf(keyword).at(-1);
  return last ? [{ ...termOf(runsOf(keyword.replaceAll('"', ' ')), false), isPrefix: last.isPrefix }] : [];
}

function termOf(runs: readonly string[], isUnfinished: boolean): Term {
  const last = runs.length - 1;
  // Only the last run may continue in the text. Each earlier run has ended, so its last character is a word too.
  const words = runs.flatMap((run, place) => wordsOfRun(run, place < last));
  return { words, isPrefix: mayBegin(runs[last] ?? '', isUnfinished) };
}

/**
 * In a script without spaces, the pairs of a part find it anywhere in a run. A single character has no pair, so it
 * always counts as the beginning of one.
 */
function mayBegin(run: string, isUnfinished: boolean): boolean {
  if (isUnspaced(run)) return [...run].length === 1;
  return isUnfinished && Buffer.byteLength(run) >= PREFIX_BYTES;
}

/** The comparison is first because the regular expression is slower, and almost no word of another script needs it. */
export function isUnspaced(run: string): boolean {
  return run >= FIRST_UNSPACED && STARTS_UNSPACED.test(run);
}

/**
 * The pairs of short words in a row. Most texts have each of the commonest words, such as "of" and "the", but few have a
 * phrase of them. Common words are short in most languages. Pairs of longer words would make the index larger.
 */
export function shortPairsOf(words: readonly string[]): string[] {
  const isShort = (word = '') => Buffer.byteLength(word) <= SHORT_BYTES;
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    return next !== undefined && isShort(word) && isShort(next) ? [`${word}+${next}`] : [];
  });
}

/** The words of a run. Where it has not ended, what follows is not known. */
export function wordsOfRun(run: string, hasEnded: boolean): string[] {
  if (!isUnspaced(run)) return [firstCodePoints(run, WORD_LENGTH)];
  const characters = [...run];
  const pairs = characters.slice(1).map((character, before) => `${characters[before]}${character}`);
  return hasEnded || pairs.length === 0 ? [...pairs, ...characters.slice(-1)] : pairs;
}

/** The folded text is bounded too, because folding turns some characters into many. */
function runsOf(text: string): string[] {
  const folded = firstUnits(foldKey(firstUnits(text)));
  return folded.replace(IGNORED, '').match(RUN) ?? [];
}

/** The first UTF-16 units of a text: one less where they would end in the middle of a character. */
export function firstUnits(text: string, units = SEARCHED_UNITS): string {
  const first = text.slice(0, units);
  return first.isWellFormed() ? first : first.slice(0, -1);
}
