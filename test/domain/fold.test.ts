import assert from 'node:assert/strict';
import { it } from 'node:test';
import { foldKey } from '../../src/domain/text.ts';

it('Folding makes one key of all spellings that look the same', () => {
  for (const spellings of [
    ['stra\u00dfe', 'STRASSE', 'Stra\u1e9ee', 'STRA\u017fSE', '\uff33trasse'],
    [
      '\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2',
      '\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c3',
      '\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3',
    ],
    ['\u00e9t\u00e9', 'E\u0301TE\u0301'],
    ['\u212aelvin', 'kelvin'],
    ['o\ufb03ce', 'OFFICE'],
    ['\u{10400}', '\u{10428}'],
  ])
    assert.equal(new Set(spellings.map(foldKey)).size, 1, String(spellings));
});

it('Folding a key again changes nothing, for every character', () => {
  for (let point = 1; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const key = foldKey(String.fromCodePoint(point));
    assert.equal(foldKey(key), key, `U+${point.toString(16)}`);
    assert.notEqual(key, '');
  }
});

it('Folding keeps the at sign, and makes none of another character', () => {
  for (let point = 1; point <= 0x10ffff; point++) {
    if (!/[\p{L}\p{M}\p{Nd}_.-]/u.test(String.fromCodePoint(point))) continue;
    assert.ok(!foldKey(String.fromCodePoint(point)).includes('@'), `U+${point.toString(16)}`);
  }
});
