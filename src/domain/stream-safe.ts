/** More marks in a row than any language needs (UAX #15, section 13). */
const MOST_MARKS = 30;
/** Invisible, and of combining class 0: normalising moves no mark across this character. */
const COMBINING_GRAPHEME_JOINER = '\u034f';

/**
 * The characters that normalising may move forward, or join with the character before: marks, and four letters (two
 * Japanese sound marks and two Kirat Rai vowels). Hangul vowels are left out, because they join only one letter.
 */
const MARK = String.raw`[[\p{M}\uff9e\uff9f\u{16d67}\u{16d68}]--${COMBINING_GRAPHEME_JOINER}]`;
/** The shortest run that may exceed 30 marks: 9 marks decompose into 27 at most, and the letter before adds 3. */
const LONG_RUN = new RegExp(`${MARK}{10,}`, 'gv');
const MARKS_AT_END = new RegExp(`${MARK}*$`, 'v');

/**
 * The text in Stream-Safe Text Format: a COMBINING GRAPHEME JOINER after each 30 marks in a row, counted as NFKD writes
 * them. Other text is returned unchanged. Call this before normalising (docs/decisions/names-and-text.md), because
 * normalising a run of n marks takes n * n steps.
 */
export function streamSafe(text: string): string {
  return text.replace(LONG_RUN, (run: string, start: number) => {
    // Two UTF-16 units, because the letter before the run may be a surrogate pair.
    let marks = marksAtEnd(text.slice(Math.max(start - 2, 0), start));
    let safe = '';
    let begin = 0;
    for (let at = 0; at < run.length; ) {
      const mark = run.codePointAt(at) ?? 0;
      const more = marksOf(mark);
      if (marks + more > MOST_MARKS) {
        safe += run.slice(begin, at) + COMBINING_GRAPHEME_JOINER;
        begin = at;
        marks = 0;
      }
      marks += more;
      at += mark > 0xffff ? 2 : 1;
    }
    return safe + run.slice(begin);
  });
}

/** The text in NFC. */
export function inNfc(text: string): string {
  return streamSafe(text).normalize('NFC');
}

/** By code point. About 2,500 code points are marks. */
const MARKS_OF = new Map<number, number>();

/** How many marks one mark decomposes into. The result is remembered, because a text can have very many marks. */
function marksOf(mark: number): number {
  let count = MARKS_OF.get(mark);
  if (count === undefined) {
    count = marksAtEnd(String.fromCodePoint(mark));
    MARKS_OF.set(mark, count);
  }
  return count;
}

/** The number of marks at the end of the decomposed text. */
function marksAtEnd(text: string): number {
  const [marks = ''] = MARKS_AT_END.exec(text.normalize('NFKD')) ?? [];
  return [...marks].length;
}
