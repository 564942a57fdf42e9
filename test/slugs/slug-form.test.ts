import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { isSlug, numbered, SLUG_BYTES, slugMeant, slugOf } from '../../src/domain/slug.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

const MADE: Record<string, string> = {
  'Hello, World!': 'hello-world',
  "Don't  stop -- now": 'dont-stop-now',
  '  2024  ': '2024',
  'Cafe\u0301 ÉTÉ': 'café-été',
  'ΟΔΟΣ Σ': 'οδος-σ',
  İstanbul: 'i̇stanbul',
  日本語の本: '日本語の本',
  'हिन्दी में': 'हिन्दी-में',
  'می\u200cخواهم': 'میخواهم',
  'ภาษาไทย ๑๒': 'ภาษาไทย-๑๒',
  'a\u00adb': 'ab',
  '\u{1F3DB} ... !!!': 'item',
  '\u0301\u0302': 'item',
  [`${'x'.repeat(200)}`]: 'x'.repeat(112),
  [`${'字'.repeat(200)}`]: '字'.repeat(37),
  [`${'x'.repeat(111)}e\u0301\u0327 y`]: 'x'.repeat(111),
  [`${'x'.repeat(112)} y`]: 'x'.repeat(112),
  // The cut is behind a hyphen, which ends no slug.
  [`${'x'.repeat(111)} y`]: 'x'.repeat(111),
};

it('A slug has the letters and digits of a title in their own script, and ends with a whole character', () => {
  for (const [title, slug] of Object.entries(MADE)) assert.equal(slugOf(title), slug.normalize('NFC'), title);
});

it('Every title makes a slug that an author could choose, that a URL means, and that a number fits behind', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }), (title) => {
      const slug = slugOf(title);
      assert.ok(isSlug(slug), slug);
      assert.equal(slugMeant(slug), slug);
      assert.ok(isSlug(numbered(slug, 2 ** 31)));
    }),
  );
});

it('The longest slug is meant by its decomposed form too, which is longer, and by no text beyond that', () => {
  const longest = 'ǖ'.repeat(SLUG_BYTES / 2);
  assert.ok(isSlug(longest));
  assert.equal(slugMeant(longest.normalize('NFD')), longest);
  assert.equal(slugMeant(longest.toUpperCase()), longest);
  assert.equal(slugMeant('x'.repeat(SLUG_BYTES * 3 + 1)), undefined);
});

it('A slug of another form cannot be chosen', () => {
  const wrong = [
    '',
    'Hello',
    'a b',
    '-a',
    'a-',
    'a--b',
    'a/b',
    '.',
    'a.b',
    'cafe\u0301',
    '\u0301a',
    '😀',
    'a\0',
  ];
  for (const slug of [...wrong, 'x'.repeat(SLUG_BYTES + 1), '字'.repeat(43)]) assert.ok(!isSlug(slug), slug);
  for (const slug of ['a', '7', 'a-2', 'čau-světe', 'x'.repeat(SLUG_BYTES)]) assert.ok(isSlug(slug), slug);
});
