import { streamSafe } from './stream-safe.ts';

/** The number of code points, which limits of length count. UTF-16 units may be twice as many. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The first code points, `most` at most. No surrogate pair is cut. */
export function firstCodePoints(text: string, most: number): string {
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII too.
const ASCII = /^[\u0000-\u007f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * The key by which user names, e-mail addresses and searches are compared: NFKC and case folding, so that "Ｚoe", "ZOE"
 * and "zoe" are equal. Upper case before lower case joins spellings that lower case keeps apart (ß, ẞ and ss; ſ and s).
 * The last NFKC composes what folding decomposed. Lower case writes Σ as ς at the end of a word. A key must not depend
 * on the letters around it, or a part of a text would not be found in the text. So ς becomes σ.
 */
export function foldKey(text: string): string {
  // The same result for ASCII, which most texts are, and much faster.
  if (isAscii(text)) return text.toLowerCase();
  return streamSafe(text)
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

/**
 * Do two addresses differ in case only? `foldKey` also joins letters that a domain keeps apart, such as ß and ss: those
 * may be mailboxes of different people, so the proof of one proves nothing about the other.
 */
export function isSameMailbox(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase();
}

/** True when both engines can store the text and return it unchanged: no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
