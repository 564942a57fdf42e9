/** Random texts of the kind that searches get wrong, the same in every run. */

/** Letters that fold to others, expand or compose; some are beyond the BMP. */
const LETTERS = [
  ...['a', 'A', 'b', 'B', 'e', 'E', 'i', 'I', 'k', 's', 'S', 'z'],
  ...[
    '\u00df',
    '\u1e9e',
    '\u017f',
    '\u212a',
    '\uff41',
    '\uff33',
    '\u0130',
    '\u0131',
    '\ufb01',
    'fi',
    '\u01c5',
  ],
  ...[
    '\u00e9',
    'e\u0301',
    '\u0301',
    '\u0308',
    '\u0345',
    '\u03c3',
    '\u03c2',
    '\u03a3',
    '\u0391',
    '\u03b1',
    '\u1fb3',
  ],
  ...[
    '\uac00',
    '\u1100',
    '\u1161',
    '\u0e01\u0e33',
    '\u4e2d',
    '\u6587',
    '\u3042',
    '\u30a2',
    '\uff71',
    '\ufdfa',
  ],
  ...['\u{10400}', '\u{10428}', '\u{1d49c}', '7', '\u0667', '\uff17'],
];
export const NAME_CHARACTERS: readonly string[] = [
  ...LETTERS.filter((each) => each !== '\ufdfa'),
  '_',
  '.',
  '-',
];
export const TEXT_CHARACTERS: readonly string[] = [
  ...LETTERS,
  ...[
    '%',
    '_',
    '*',
    '"',
    "'",
    '\\',
    '(',
    ')',
    ':',
    '^',
    '-',
    '+',
    '{',
    '$',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\u00a0',
  ],
  ...[
    '\u{1f600}',
    '\u{1f469}\u200d\u{1f4bb}',
    '\ufeff',
    '\ufffd',
    '\ufffe',
    '\uffff',
    '\u{10ffff}',
    '\u0001',
    '\u2028',
  ],
];

export class RandomTexts {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below `limit` (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  text(characters: readonly string[], min: number, max: number): string {
    const length = min + this.below(max - min + 1);
    return Array.from({ length }, () => this.pick(characters)).join('');
  }

  /** A part of the text, of `min` to `max` code points, at times in another case. */
  part(text: string, min: number, max: number): string {
    const points = [...text];
    const start = this.below(points.length);
    const part = points.slice(start, start + min + this.below(max - min + 1)).join('');
    return this.pick([part, part, part.toUpperCase(), part.toLowerCase(), part.normalize('NFD')]);
  }
}
