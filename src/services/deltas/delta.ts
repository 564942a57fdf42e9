import { createDelta } from 'fossil-delta';

/** Bytes of UTF-8 from which a text is long: its earlier versions are kept as deltas. */
export const LONG_BYTES = 8 * 1024;

/** What the text has otherwise than the base, as base64. Undefined where that is more than half of the text. */
export function deltaOf(base: string, text: string): string | undefined {
  const target = Buffer.from(text);
  const delta = Buffer.from(createDelta<Uint8Array>(Buffer.from(base), target)).toString('base64');
  return delta.length <= target.length / 2 ? delta : undefined;
}
