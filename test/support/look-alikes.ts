import { randomInt } from 'node:crypto';

/** Letters of ASCII, each with one beyond ASCII that looks the same (Unicode's confusables.txt). */
export type LookAlikes = Readonly<Record<string, string>>;

export const SMALL_LETTERS: Readonly<Record<string, LookAlikes>> = {
  Cyrillic: {
    a: '\u0430',
    c: '\u0441',
    e: '\u0435',
    i: '\u0456',
    j: '\u0458',
    o: '\u043e',
    p: '\u0440',
    s: '\u0455',
    x: '\u0445',
    y: '\u0443',
  },
  'other Latin': { a: '\u0251', g: '\u0261' },
};

export const CAPITALS: Readonly<Record<string, LookAlikes>> = {
  Greek: {
    A: '\u0391',
    B: '\u0392',
    E: '\u0395',
    H: '\u0397',
    I: '\u0399',
    K: '\u039a',
    M: '\u039c',
    T: '\u03a4',
  },
  Cyrillic: {
    A: '\u0410',
    B: '\u0412',
    C: '\u0421',
    H: '\u041d',
    I: '\u0406',
    O: '\u041e',
    P: '\u0420',
    X: '\u0425',
  },
};

/** A new name of ASCII, and the other that looks the same. */
export function twins(letters: LookAlikes): [ascii: string, twin: string] {
  const pairs = Array.from({ length: 16 }, () => {
    const entries = Object.entries(letters);
    return entries[randomInt(entries.length)] ?? ['', ''];
  });
  return [pairs.map(([ascii]) => ascii).join(''), pairs.map(([, twin]) => twin).join('')];
}
