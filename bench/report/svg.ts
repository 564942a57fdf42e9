export const WIDTH = 920;

/** A part of the picture that states its own height. */
export interface Panel {
  readonly svg: string;
  readonly height: number;
}

export function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(content)}</text>`;
}

/** A logarithmic axis between the powers of ten that enclose all values: the place of a value, and the ticks. */
export function logScale(values: readonly number[], from: number, to: number) {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const low = Math.floor(Math.min(...logs));
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs)));
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const at = (value: number) =>
    from + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (to - from);
  return { at, ticks };
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
