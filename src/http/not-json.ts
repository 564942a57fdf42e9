import { type Failure, malformed } from '../domain/failure.ts';

const SPACE = /[ \t\n\r]*/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const HEX = /[0-9A-Fa-f]{4}/y;
const [NEW_LINE, QUOTE, BACKSLASH, FIRST_PLAIN] = [0x0a, 0x22, 0x5c, 0x20];

/** The failure for a body that is no JSON. It says where, which the runtime does at times, and repeats nothing of the body. */
export function notJson(body: Buffer): Failure {
  const text = body.toString();
  const at = firstMistake(text);
  const where = placeOf(text, at);
  const what = at === text.length ? 'It ends too early, at' : 'Look at';
  return malformed(`The body is not valid JSON. ${what} ${where}.`);
}

/** The place as editors tell it, whose columns count UTF-16. */
function placeOf(text: string, at: number): string {
  let [line, start] = [1, 0];
  for (let index = 0; index < at; index++) {
    if (text.charCodeAt(index) !== NEW_LINE) continue;
    line++;
    start = index + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}

/** Is this a character that a string of JSON has as it is? Not beyond the end of the text, where it is no number. */
function isPlain(code: number): boolean {
  return code >= FIRST_PLAIN && code !== QUOTE && code !== BACKSLASH;
}

/**
 * The index of the first character that cannot be there (RFC 8259); the length where the text ends too early. The text is
 * read once, and nothing is built. The caller knows that the text is no JSON.
 */
function firstMistake(text: string): number {
  let at = 0;
  const skip = (what: RegExp) => {
    what.lastIndex = at;
    if (!what.test(text)) return false;
    at = what.lastIndex;
    return true;
  };
  const take = (character: string) => {
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const escaped = () => {
    if (text.charCodeAt(at) !== BACKSLASH || at + 1 >= text.length) return false;
    const begin = at;
    at += 2;
    if ('"\\/bfnrt'.includes(text.charAt(begin + 1))) return true;
    if (text.charAt(begin + 1) === 'u' && skip(HEX)) return true;
    at = begin;
    return false;
  };
  const string = () => {
    if (!take('"')) return false;
    do {
      while (isPlain(text.charCodeAt(at))) at++;
    } while (escaped());
    return take('"');
  };

  /** The closing brackets that are to come, the innermost last. */
  const closing: string[] = [];
  const opens = (bracket: string, end: string) => take(bracket) && closing.push(end) > 0;
  const closes = () => closing.length > 0 && take(closing.at(-1) ?? '') && closing.pop() !== undefined;
  for (let expected: 'value' | 'name' | 'first' | 'more' = 'value'; ; ) {
    skip(SPACE);
    if (expected === 'first') {
      if (closes()) expected = 'more';
      else expected = closing.at(-1) === '}' ? 'name' : 'value';
    } else if (expected === 'name') {
      if (!string()) return at;
      skip(SPACE);
      if (!take(':')) return at;
      expected = 'value';
    } else if (expected === 'value') {
      if (opens('{', '}') || opens('[', ']')) expected = 'first';
      else if (string() || skip(NUMBER_OR_WORD)) expected = 'more';
      else return at;
    } else if (closing.length > 0 && take(',')) {
      expected = closing.at(-1) === '}' ? 'name' : 'value';
    } else if (!closes()) return at;
  }
}
