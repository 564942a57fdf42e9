import { streamSafe } from './stream-safe.ts';

/** The number of Unicode code points in a well-formed string. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII too.
const ASCII = /^[\u0000-\u007f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * The key by which user names, e-mail addresses and searches are compared: NFKC and case folding,
 * so that look-alike spellings ("Ｚoe", "ZOE", "zoe") are one. Lower case alone leaves some spellings apart
 * (ß, ẞ and ss; ſ and s); upper case in between joins them. The last NFKC joins what folding took apart.
 * Lower-casing writes Σ as ς at the end of a word. A key must not depend on what stands around a letter, or a
 * part of a text would not be found in the text: so ς becomes σ.
 */
export function foldKey(text: string): string {
  // What all of this comes to where there is nothing but ASCII: most texts, and a search reads many.
  if (isAscii(text)) return text.toLowerCase();
  return streamSafe(text)
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

/** True when both engines can store the text and return it unchanged: it has no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
