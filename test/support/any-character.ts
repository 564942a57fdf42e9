import fc from 'fast-check';

/** Where UTF-16 has the halves of pairs, which are no characters. */
const HALVES = { first: 0xd800, count: 0x800 };

/**
 * Every character of Unicode, for `fc.string`. These are the characters of its `unit: 'binary'`, which lists all
 * 1,112,064 of them first: 2 s of a processor and 100 MB in each process.
 */
export const ANY_CHARACTER = fc.nat({ max: 0x10ffff - HALVES.count }).map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < HALVES.first ? place : place + HALVES.count);
}

/** `fc.string` asks where a text that it shrinks has its characters, and takes an error for "not one of these". */
function placeOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== character || !character.isWellFormed())
    throw new Error('That is not one character.');
  return point < HALVES.first ? point : point - HALVES.count;
}
