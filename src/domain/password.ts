import { inNfc } from './stream-safe.ts';
import { codePoints } from './text.ts';

/** In code points. */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;
/** Counts code points of NFC, as the interface promises, and not UTF-16 units. */
export function hasPasswordLength(text: string): boolean {
  const count = codePoints(inNfc(text));
  return count >= PASSWORD_LENGTH.min && count <= PASSWORD_LENGTH.max;
}
