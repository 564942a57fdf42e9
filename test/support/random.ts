import { randomInt } from 'node:crypto';

/** Letters without case or compatibility forms, so that a text made of them equals no other text. */
const FIRST_IDEOGRAPH = 0x4e00;
const IDEOGRAPHS = 20_000;

/** That many random digits, of the numbering system with this zero. */
export function digits(count: number, zero = '0'): string {
  const first = zero.codePointAt(0) ?? 0;
  return String.fromCodePoint(...Array.from({ length: count }, () => first + randomInt(10)));
}

/** A text of that many code points that nobody else has, made of CJK ideographs. */
export function ideographs(count: number): string {
  return String.fromCodePoint(
    ...Array.from({ length: count }, () => FIRST_IDEOGRAPH + randomInt(IDEOGRAPHS)),
  );
}
