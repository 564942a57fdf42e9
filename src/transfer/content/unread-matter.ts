import { decides } from './kept-back.ts';

/** What may be meant as the opening of a front matter. A longer line of hyphens is a thematic break, or a table. */
const LIKE_OPENING = /^\s*---(?:\w*[ \t]*|[ \t]+#[^\r\n]*)(?:\r\n?|\n)/;
/** A line that gives a value its name, or asks for one with a question mark, as YAML may. */
const NAMING = /^[ \t]*(?:[?{,][ \t]*)*(["']?)([\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)?)\1[ \t]*(?::|$)/u;
const ASKING = /^[ \t]*\?/;
/** What may stand before the first name. */
const BEFORE_NAMES = /^[ \t]*(?:#|\{?[ \t]*$)/;
/** A line that continues the value of the line before: of a list or a map, or indented. */
const CONTINUING = /^(?:[ \t]|-[ \t]|-$|[?:,[\]{}])/;
/**
 * The strings of JSON, with the colon after a name, and what begins and ends an object or a list. One without an end has
 * all that follows, so that no character is looked at twice.
 */
const JSON_PARTS = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)(?:"(\s*:)?|\\?$)|[[\]{}]/g;

/** The text after a line that may be meant as the opening of a front matter. Undefined where there is none. */
export function afterLikeOpening(text: string): string | undefined {
  const opening = LIKE_OPENING.exec(text)?.[0];
  return opening === undefined ? undefined : text.slice(opening.length);
}

/**
 * Says the beginning of this text, which is no front matter for want of a beginning or an end, who may read the item?
 * Only lines that look like a front matter count, because a text may name a status too.
 */
export function namesKeptBack(text: string): boolean {
  let isBegun = false;
  for (const line of text.split(/\r\n?|\n/)) {
    const name = nameIn(line);
    if (name !== undefined && decides(name)) return true;
    if (isBegun && line.trim() === '') return false;
    const isOfMatter = BEFORE_NAMES.test(line) || (isBegun && CONTINUING.test(line));
    if (name === undefined && !isOfMatter) return false;
    isBegun ||= name !== undefined;
  }
  return false;
}

function nameIn(line: string): string | undefined {
  const [all = '', , name] = NAMING.exec(line) ?? [];
  return all.endsWith(':') || ASKING.test(all) ? name : undefined;
}

/** Has the object in JSON at the beginning of this text a name that says who may read the item? */
export function jsonNamesKeptBack(text: string): boolean {
  let depth = 0;
  for (const [part, name, colon] of text.matchAll(JSON_PARTS)) {
    if (name !== undefined) {
      if (depth === 1 && colon !== undefined && decides(name)) return true;
    } else depth += '[{'.includes(part) ? 1 : -1;
    if (depth === 0) return false;
  }
  return false;
}
