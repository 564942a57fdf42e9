import { codePoints } from './text.ts';

/** In code points. */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;
export function hasPasswordLength(text: string): boolean {
  const count = codePoints(text);
  return count >= PASSWORD_LENGTH.min && count <= PASSWORD_LENGTH.max;
}
