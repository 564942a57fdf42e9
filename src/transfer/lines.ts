/** A line of a text, without its line break. */
interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined for a line that is too long. */
  readonly bytes: Buffer | undefined;
  /** Bytes of the input up to the end of the line. */
  readonly end: number;
}

const LINE_BREAK = 0x0a;
/** Some editors and exports put it at the beginning of a text in UTF-8. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The lines of the input, one by one, without a byte order mark before the first. A line of more than `most` bytes is
 * reported without its bytes.
 */
export async function* linesOf(input: AsyncIterable<Buffer>, most: number): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let [number, length, end] = [0, 0, 0];

  const hold = (piece: Buffer) => {
    length += piece.length;
    end += piece.length;
    if (length > most) held = [];
    else held.push(piece);
  };
  const complete = (): Line => {
    const bytes = length > most ? undefined : Buffer.concat(held);
    number += 1;
    [held, length] = [[], 0];
    const hasMark = number === 1 && bytes?.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    return { number, bytes: hasMark ? bytes?.subarray(BYTE_ORDER_MARK.length) : bytes, end };
  };

  for await (const chunk of input) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, start)) {
      hold(chunk.subarray(start, at));
      end += 1;
      yield complete();
      start = at + 1;
    }
    hold(chunk.subarray(start));
  }
  if (length > 0) yield complete();
}
