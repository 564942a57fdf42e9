import { withoutJoined } from './joiners.ts';
import { codePoints } from './text.ts';
import { INVISIBLE } from './username.ts';

/** In code points. */
export const DISPLAY_NAME_LENGTH = { min: 0, max: 50 } as const;

/**
 * Not allowed in addition to what user names refuse: controls, line breaks, unassigned code points, the blank Braille
 * pattern.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u2800]/u;

/**
 * Checks a name that only people see: of an account, a token or a passkey. Returns the sentence for the user, or
 * undefined for a good name. The name is in NFC. Such names are not unique, so their looks do not matter. Invisible
 * characters are allowed only where a script or an emoji needs them (docs/decisions/names-and-text.md).
 */
export function refusalOfName(name: string, most: number): string | undefined {
  if (codePoints(name) > most) return `must have at most ${most} characters`;
  const rest = withoutJoined(name);
  if (INVISIBLE.test(rest) || UNSEEN.test(rest)) return 'has a character that cannot be seen; leave it out';
  if (name !== name.trim()) return 'must not begin or end with white space';
  return undefined;
}
