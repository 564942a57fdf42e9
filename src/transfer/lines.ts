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

/** The lines of the input, one by one. A line of more than `most` bytes is reported without its bytes. */
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
    return { number, bytes, end };
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
