import { type Failure, malformed } from '../domain/failure.ts';
import { LIMITS } from './limits.ts';

/**
 * The end of a message of the runtime that gives the position. A message that repeats a part of the body ends
 * differently.
 */
const POSITION = / at position (\d+) \(line \d+ column \d+\)$/;
/** A whole string, or the text before a value. */
const STRING_OR_BEFORE_VALUE = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[[:,][ \t\n\r]*/gs;
const VALUE = /["{[\d-]|true|false|null/y;
/** Characters that are searched for the mistake, and lines that are counted: all of 4 MiB would take 100 ms. */
const SEARCHED = LIMITS.large;

/**
 * The failure for a body that JSON.parse refused with this error. It gives the position of the mistake, which the
 * runtime does not always do, and repeats nothing of the body.
 */
export function notJson(text: string, error: unknown): Failure {
  const at = firstMistake(text, String(error));
  const what = at === text.length ? 'It ends too early, at' : 'Look at';
  const where = at === undefined ? `Look after character ${SEARCHED}` : `${what} ${placeOf(text, at)}`;
  return malformed(`The body is not valid JSON. ${where}.`);
}

/**
 * The index of the first wrong character, or the length where the text ends too early. Undefined if it is not found.
 */
function firstMistake(text: string, message: string): number | undefined {
  const position = Number(POSITION.exec(message)?.[1] ?? Number.NaN);
  // The runtime gives the position after the backslash.
  if (/^SyntaxError: Bad (?:escaped|Unicode)/.test(message)) return text.lastIndexOf('\\', position - 1);
  if (message.startsWith('SyntaxError: Unexpected end')) return text.length;
  return Number.isNaN(position) ? firstWithoutValue(text) : position;
}

/** The runtime gives no position where a value is missing. */
function firstWithoutValue(text: string): number | undefined {
  // With a colon in front, the value of the whole text is a value like the others.
  for (const { 0: before, index } of `:${text.slice(0, SEARCHED)}`.matchAll(STRING_OR_BEFORE_VALUE)) {
    const at = index + before.length - 1;
    if (at >= SEARCHED) return undefined;
    VALUE.lastIndex = at;
    const isEmptyArray = before.startsWith('[') && text[at] === ']';
    if (!before.startsWith('"') && !isEmptyArray && !VALUE.test(text)) return at;
  }
  return undefined;
}

/** The position as editors show it: their columns count UTF-16. */
function placeOf(text: string, at: number): string {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    if (++line > SEARCHED) return `character ${at + 1}`;
    start = end + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}
