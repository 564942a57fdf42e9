import { type Failure, malformed } from '../domain/failure.ts';

/**
 * The end of a message of the runtime that gives the position. A message that repeats a part of the body ends
 * differently.
 */
const POSITION = / at position (\d+) \(line \d+ column \d+\)$/;
/** A whole string, or the text before a value. */
const STRING_OR_BEFORE_VALUE = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[[:,][ \t\n\r]*/gs;
const VALUE = /["{[\d-]|true|false|null/y;
const NEW_LINE = 0x0a;

/**
 * The failure for a body that JSON.parse refused with this error. It gives the position of the mistake, which the
 * runtime does not always do, and repeats nothing of the body.
 */
export function notJson(text: string, error: unknown): Failure {
  const at = firstMistake(text, String(error));
  const what = at === text.length ? 'It ends too early, at' : 'Look at';
  return malformed(`The body is not valid JSON. ${what} ${placeOf(text, at)}.`);
}

/** The index of the first wrong character, or the length where the text ends too early. */
function firstMistake(text: string, message: string): number {
  const position = Number(POSITION.exec(message)?.[1] ?? Number.NaN);
  // The runtime gives the position after the backslash.
  if (/^SyntaxError: Bad (?:escaped|Unicode)/.test(message)) return text.lastIndexOf('\\', position - 1);
  return Number.isNaN(position) ? firstWithoutValue(text) : position;
}

/** The runtime gives no position where a value is missing, or where the text ends. */
function firstWithoutValue(text: string): number {
  // With a colon in front, the value of the whole text is a value like the others.
  for (const { 0: before, index } of `:${text}`.matchAll(STRING_OR_BEFORE_VALUE)) {
    const at = index + before.length - 1;
    VALUE.lastIndex = at;
    const isEmptyArray = before.startsWith('[') && text[at] === ']';
    if (!before.startsWith('"') && !isEmptyArray && !VALUE.test(text)) return at;
  }
  return text.length;
}

/** The position as editors show it: their columns count UTF-16. */
function placeOf(text: string, at: number): string {
  let [line, start] = [1, 0];
  for (let index = 0; index < at; index++) {
    if (text.charCodeAt(index) !== NEW_LINE) continue;
    line++;
    start = index + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}
