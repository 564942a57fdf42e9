import { randomInt } from 'node:crypto';

/** Letters without case or compatibility forms, so that a text made of them equals no other text. */
const FIRST_IDEOGRAPH = 0x4e00;
const IDEOGRAPHS = 20_000;

/** A text of that many code points that nobody else has, made of CJK ideographs. */
export function ideographs(count: number): string {
  return String.fromCodePoint(
    ...Array.from({ length: count }, () => FIRST_IDEOGRAPH + randomInt(IDEOGRAPHS)),
  );
}
