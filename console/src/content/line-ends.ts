/** How the lines of a text end, so that a text which is opened and saved changes no byte. */
export interface LineEnds {
  /** What the editor gets: lines with LF, or the text itself where its line ends are mixed. */
  readonly shown: string;
  /** What separates lines in the editor; undefined for any line end. */
  readonly separator: string | undefined;
  /** The text with its own line ends again. */
  readonly restore: (shown: string) => string;
}

const asItIs = (shown: string) => shown;

/**
 * A text whose lines all end with CRLF is edited with LF, and gets CRLF again. In a text with mixed line ends or with
 * a single CR, only LF ends a line, and each CR is a character of its line.
 */
export function lineEndsOf(text: string): LineEnds {
  if (!text.includes('\r')) return { shown: text, separator: undefined, restore: asItIs };
  if (/\r(?!\n)|(?<!\r)\n/.test(text)) return { shown: text, separator: '\n', restore: asItIs };
  return {
    shown: text.replaceAll('\r\n', '\n'),
    separator: undefined,
    restore: (shown) => shown.replaceAll('\n', '\r\n'),
  };
}
