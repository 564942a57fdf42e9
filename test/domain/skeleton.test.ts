import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { it } from 'node:test';
import { skeletonOf } from '../../src/domain/skeleton.ts';

const CONFUSABLES: Record<string, string> = createRequire(import.meta.url)('unhomoglyph/data.json');

it('Names that look the same have one skeleton, whatever the case of their letters', () => {
  for (const names of [
    ['HOPE', 'hope', 'Hope', '\u041d\u041e\u0420\u0415'],
    ['anna', '\u0391\u039d\u039d\u0391', 'Anna'],
    ['isa', 'ISA', 'lsa', '1sa', '\u0406\u0405\u0410', '\u0456\u0455\u0430'],
    ['modem', 'modern', 'MODEM'],
    ['b0b', 'bob', 'BOB', '\u0412\u041e\u0412'],
    ['\u529b\u529b\u529b', '\u30ab\u30ab\u30ab'],
  ])
    assert.equal(new Set(names.map(skeletonOf)).size, 1, String(names));
});

it('Names that look different have different skeletons', () => {
  const names = [
    'hopa',
    '\u043d\u043e\u0440\u0430',
    'h\u00f6pa',
    'hopa.',
    'hop-a',
    'hopaa',
    '\u03bd\u03bf\u03c1\u03b1',
  ];
  assert.equal(new Set(names.map(skeletonOf)).size, names.length);
});

it('Each character that Unicode lists has the skeleton of the one that it looks like', () => {
  // Skeletons are made of decomposed text, so others are never looked up.
  const pairs = Object.entries(CONFUSABLES).filter(([character]) => character.normalize('NFD') === character);
  assert.ok(pairs.length > 5_000, `${pairs.length} pairs`);
  for (const [character, prototype] of pairs)
    assert.equal(skeletonOf(character), skeletonOf(prototype), `${character} and ${prototype}`);
});
