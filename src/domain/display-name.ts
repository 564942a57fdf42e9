import { codePoints } from './text.ts';
import { INVISIBLE } from './username.ts';

/** In code points. */
export const DISPLAY_NAME_LENGTH = { min: 0, max: 50 } as const;

/** Each rule of a display name in NFC, and what to tell whoever breaks it. Such a name is not unique, so looks do not count. */
const RULES: readonly (readonly [isKept: (name: string) => boolean, must: string])[] = [
  [
    (name) => codePoints(name) <= DISPLAY_NAME_LENGTH.max,
    `must have at most ${DISPLAY_NAME_LENGTH.max} characters`,
  ],
  [
    // Beside those of user names: controls, line breaks, what is no character, and the empty pattern of Braille.
    (name) => !INVISIBLE.test(name) && !/[\p{C}\p{Zl}\p{Zp}\u2800]/u.test(name),
    'has a character that cannot be seen; leave it out',
  ],
  [(name) => name === name.trim(), 'must not begin or end with white space'],
];

/** What to tell whoever gave this display name, after the word for it; undefined for one that is good. */
export function refusalOfDisplayName(name: string): string | undefined {
  return RULES.find(([isKept]) => !isKept(name))?.[1];
}
