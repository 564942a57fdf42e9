import { isAscii } from './text.ts';

/** Bytes of UTF-8 that a slug has at most. */
export const SLUG_BYTES = 128;
/** The same for one that is made of a title, so that a number can be added. */
const MADE_BYTES = 112;
/** What a title without a letter or digit makes. */
const NAMELESS = 'item';

const ASCII_WORDS = /[a-z0-9]+/g;
/** A mark belongs to the letter before it: scripts of India and Thailand write vowels as marks. */
const WORDS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** What separates no words, or is invisible. */
const DROPPED = /['’]|\p{Default_Ignorable_Code_Point}/gu;

/** The slug that an item with this title gets, if no other item has it. */
export function slugOf(title: string): string {
  return made(slugged(title));
}

/** May an author choose this one? */
export function isSlug(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= SLUG_BYTES && slugged(text) === text;
}

/** The slug that is meant by a text in a URL: case and the form of Unicode do not count. Undefined for none. */
export function slugMeant(text: string): string | undefined {
  if (text.length > SLUG_BYTES * 3) return undefined;
  const slug = folded(text);
  return isSlug(slug) ? slug : undefined;
}

/**
 * The slug with a number, which is 2 for the second item of the name. A longer one than a title makes is cut before.
 */
export function numbered(slug: string, number: number): string {
  return `${made(slug)}-${number}`;
}

function made(slug: string): string {
  return (Buffer.byteLength(slug) <= MADE_BYTES ? slug : cut(slug)) || NAMELESS;
}

function slugged(title: string): string {
  if (isAscii(title)) return (title.toLowerCase().replaceAll("'", '').match(ASCII_WORDS) ?? []).join('-');
  return (folded(title.replace(DROPPED, '')).match(WORDS) ?? []).join('-');
}

/** A second round changes nothing, so a slug is what it is compared with. */
function folded(text: string): string {
  const once = text.normalize('NFC').toLowerCase().normalize('NFC');
  return once.toLowerCase().normalize('NFC');
}

/** Ends with a whole character: no letter loses its marks. */
function cut(slug: string): string {
  let [end, bytes] = [0, 0];
  // Made when a long title comes: the first one takes 13 ms, which each thread would pay at its start.
  const characters = new Intl.Segmenter('und', { granularity: 'grapheme' });
  for (const { segment } of characters.segment(slug)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > MADE_BYTES) break;
    end += segment.length;
  }
  return slug.slice(0, end).replace(/-+$/, '');
}
