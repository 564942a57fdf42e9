import { randomBytes } from 'node:crypto';

/**
 * A base and a text that have nothing in common, and whose parts have equal checksums all the same, because `a` and `d`
 * add up to as much as `b` and `c`. No other texts of their length take so long to be made a delta of.
 */
export function collidingTexts(bytes: number): { readonly base: string; readonly text: string } {
  const of = (one: string, other: string) =>
    Array.from(randomBytes(bytes), (byte) => (byte % 2 ? one : other)).join('');
  return { base: of('a', 'd'), text: of('b', 'c') };
}
