import { withoutJoined } from './joiners.ts';
import { codePoints } from './text.ts';
import { INVISIBLE } from './username.ts';

/** In code points. */
export const DISPLAY_NAME_LENGTH = { min: 0, max: 50 } as const;

/** Beside what user names must not have: controls, line breaks, what is no character, and the empty pattern of Braille. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u2800]/u;

/**
 * What to tell whoever gave a name that only people see: of an account, of a token, of a passkey. Undefined for a good one.
 * The name is in NFC. Such names are not unique, so looks do not count; what cannot be seen may stand only where a script or
 * an emoji needs it (decisions 0061).
 */
export function refusalOfName(name: string, most: number): string | undefined {
  if (codePoints(name) > most) return `must have at most ${most} characters`;
  const rest = withoutJoined(name);
  if (INVISIBLE.test(rest) || UNSEEN.test(rest)) return 'has a character that cannot be seen; leave it out';
  if (name !== name.trim()) return 'must not begin or end with white space';
  return undefined;
}
