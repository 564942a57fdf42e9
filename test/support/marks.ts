/**
 * Which characters Unicode calls non-starters. This file finds them by how the runtime normalises, and not by a list,
 * because it checks the lists in domain/stream-safe.ts.
 */

const EVERY_CHARACTER: readonly string[] = Array.from({ length: 0x11_0000 }, (_, point) =>
  String.fromCodePoint(point),
).filter((character) => /[^\p{Unassigned}\p{Private_Use}\p{Surrogate}]/u.test(character));

/** This character has the highest combining class (240), so every other non-starter is sorted before it. */
const YPOGEGRAMMENI = '\u0345';

/** Starters that join what stands before them all the same; Hangul joins one letter alone. */
const JOINING = new Set(
  EVERY_CHARACTER.filter((each) => each.normalize('NFC') === each)
    .map((each) => [...each.normalize('NFD')])
    .filter((parts) => parts.length > 1)
    .map((parts) => parts.at(-1) ?? '')
    .filter((last) => !/\p{Script=Hangul}/u.test(last)),
);

/** Whether normalising may move or join a character that decomposes no further. */
const unsettled = remembered(
  (character) =>
    character === YPOGEGRAMMENI ||
    JOINING.has(character) ||
    !`${YPOGEGRAMMENI}${character}`.normalize('NFD').startsWith(YPOGEGRAMMENI),
);

const decomposed = remembered((character) => [...character.normalize('NFKD')]);

/**
 * What domain/stream-safe.ts counts: also marks that normalising never moves, such as the vowel signs of many
 * scripts.
 */
export function isMark(character: string): boolean {
  return character !== '\u034f' && (/\p{M}/u.test(character) || unsettled(character));
}

/** The longest run of non-starters, each character decomposed by itself, as UAX #15, section 13 counts them. */
export function longestRun(text: string, counts: (character: string) => boolean = unsettled): number {
  let [longest, run] = [0, 0];
  for (const character of text)
    for (const part of decomposed(character)) {
      run = counts(part) ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
  return longest;
}

/** Characters whose decomposition begins with a non-starter. */
export const NOT_FIRST = EVERY_CHARACTER.filter((each) => unsettled(decomposed(each)[0] ?? ''));

/** Characters to begin a run with: letters, some of which decompose into marks, and characters that end a run. */
export const STARTING = [
  'a',
  '\u0390',
  '\u1f82',
  '\ufdfa',
  '\u0130',
  '\u03a3',
  '\uac00',
  '\u1161',
  '\u034f',
  '\u200d',
  '\u{1d15e}',
  '\u{16d63}',
  ' ',
];

/** `foldKey` without the step that bounds runs of marks. */
export function foldWithoutBound(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

function remembered<Value>(work: (character: string) => Value): (character: string) => Value {
  const known = new Map<string, Value>();
  return (character) => {
    const value = known.get(character) ?? work(character);
    known.set(character, value);
    return value;
  };
}
