import { hasDigitsOfOneKind, isOfOneScript } from './script.ts';
import { codePoints } from './text.ts';

/** In code points. */
export const USERNAME_LENGTH = { min: 3, max: 20 } as const;

/**
 * Letters and marks by their Unicode category, but invisible, so two names could look alike. These are the
 * default-ignorable characters, and those that only join or turn the characters around them.
 */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2d7f\u{1107f}\u{13440}\u{16fe4}\u{1bc9d}]/u;

/**
 * The rules of a user name in NFC, each with the message for a name that breaks it (docs/decisions/names-and-text.md).
 */
const RULES: readonly (readonly [isKept: (name: string) => boolean, must: string])[] = [
  [
    (name) => isWithin(name) && /^[\p{L}\p{M}\p{Nd}_.-]+$/u.test(name),
    `must be ${USERNAME_LENGTH.min} to ${USERNAME_LENGTH.max} letters, digits or any of "_", "." and "-"`,
  ],
  [(name) => !INVISIBLE.test(name), 'has a character that cannot be seen; leave it out'],
  [(name) => /[\p{L}\p{Nd}]/u.test(name), 'must have a letter or a digit'],
  [(name) => !/^\.|\.$/.test(name), 'must not begin or end with a dot'],
  [
    isOfOneScript,
    'mixes letters of several scripts; keep to one script, or to Latin with Chinese, Japanese or Korean',
  ],
  [hasDigitsOfOneKind, 'mixes several kinds of digits; keep to one kind, such as 0 to 9'],
];

/** The message for a refused user name, without its subject ("must be ..."). Undefined for a good name. */
export function refusalOfUsername(name: string): string | undefined {
  return RULES.find(([isKept]) => !isKept(name))?.[1];
}

function isWithin(name: string): boolean {
  const count = codePoints(name);
  return count >= USERNAME_LENGTH.min && count <= USERNAME_LENGTH.max;
}
