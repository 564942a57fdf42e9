import { malformed } from '../domain/failure.ts';

/**
 * Deeper or larger structures than most bodies need (docs/decisions/interface.md). A route whose body needs more parts
 * says so (`bodyParts`).
 */
const MAX_DEPTH = 16;
const MAX_PARTS = 1_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The position of a member's name in a body, with its quotes. */
export interface MemberName {
  /** The number of the object that has the member. */
  readonly object: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the names of all members in one pass over the bytes of a JSON text, before JSON.parse builds anything. Fails
 * with `malformed_request` where the text is too deep or has too many parts. JSON.parse decides later whether the text
 * is valid JSON.
 */
export function memberNames(json: Buffer, mostParts = MAX_PARTS): MemberName[] {
  const names: MemberName[] = [];
  const open: number[] = [];
  let [parts, strings, start, end] = [0, 0, 0, 0];
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        // Each part has at most a name and a value. With more strings the text is not JSON, and JSON.parse stops here
        // or earlier.
        if (++strings > 2 * (parts + 1)) return names;
        start = at;
        at = endOfString(json, at);
        end = at + 1;
        break;
      case COLON:
        // In JSON a colon follows a name, and an opening bracket or a comma comes before it.
        if (names.push({ object: open.at(-1) ?? 0, start, end }) > parts) return names;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (open.push(parts) > MAX_DEPTH) throw malformed(`The body is nested more than ${MAX_DEPTH} deep.`);
        if (++parts > mostParts) throw tooManyParts(mostParts);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        open.pop();
        break;
      case COMMA:
        if (++parts > mostParts) throw tooManyParts(mostParts);
        break;
    }
  }
  return names;
}

/** The index of the closing quote of the string that opens at `start`, or beyond the end if there is none. */
function endOfString(json: Buffer, start: number): number {
  const quote = json.indexOf(QUOTE, start + 1);
  if (quote === -1) return json.length;
  if (json[quote - 1] !== BACKSLASH) return quote;
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

function tooManyParts(most: number) {
  return malformed(`The body has more than ${most} parts.`);
}
