import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { domainToASCII } from 'node:url';
import { refusalOfName } from '../../src/domain/name.ts';

const [ZWNJ, ZWJ] = ['\u200c', '\u200d'];
const isGood = (name: string) => refusalOfName(name, 50) === undefined;

describe('Display names', () => {
  it('A display name may have the joiners that its emoji and its script need', () => {
    const good = {
      'a family': `\u{1f468}${ZWJ}\u{1f469}${ZWJ}\u{1f467}${ZWJ}\u{1f466}`,
      'a rainbow flag after a name': `Ada \u{1f3f3}\ufe0f${ZWJ}\u{1f308}`,
      'an astronaut with a skin tone': `\u{1f469}\u{1f3fd}${ZWJ}\u{1f680}`,
      'a heart in colour': '\u2764\ufe0f',
      'a keycap': '1\ufe0f\u20e3',
      'the flag of England': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      Persian: `علی${ZWNJ}رضا کاظمی${ZWNJ}نژاد`,
      Sinhala: `ශ්${ZWJ}රී`,
      Hindi: `श्रीमान्${ZWNJ}जी क्${ZWJ}ष`,
      Kannada: `ಕ್${ZWNJ}ನ`,
      'Malayalam, at the end': `ന്${ZWJ}`,
      'Bengali, before the virama': `র${ZWJ}্যাব`,
    };
    for (const [what, name] of Object.entries(good)) assert.equal(refusalOfName(name, 50), undefined, what);
  });

  it('A display name has no line break, no bidi control and nothing invisible that it does not need', () => {
    const bad = {
      'a line break': 'a\nb',
      'a line separator': 'a\u2028b',
      'an override': 'a\u202eb',
      'an isolate': 'a\u2066b',
      'a space of no width': 'a\u200bb',
      'a joiner in Latin': `a${ZWJ}b`,
      'a non-joiner in Latin': `a${ZWNJ}b`,
      'a joiner in Persian': `علی${ZWJ}رضا`,
      'a non-joiner after a letter that joins nothing': `رضا${ZWNJ}ی`,
      'a non-joiner at an end': `علی${ZWNJ}`,
      'two non-joiners': `علی${ZWNJ}${ZWNJ}رضا`,
      'a joiner after a letter': `क${ZWJ}ष`,
      'a joiner after another mark than a virama': `कि${ZWJ}ष`,
      'a joiner after a picture alone': `\u{1f469}${ZWJ}`,
      'a selector after a letter': 'a\ufe0f',
      'tags of no flag': '\u{1f3f4}\u{e0067}\u{e007f}',
      'a filler': '\u3164',
    };
    for (const [what, name] of Object.entries(bad))
      assert.equal(refusalOfName(name, 50), 'has a character that cannot be seen; leave it out', what);
  });

  it('A display name may have a non-joiner between the same Arabic letters as a domain name', () => {
    const letters = Array.from({ length: 0xe0 }, (_, index) => String.fromCodePoint(0x620 + index)).filter(
      (letter) => /\p{L}/u.test(letter) && letter.normalize('NFKC') === letter,
    );
    assert.ok(letters.length > 100, String(letters.length));
    for (const letter of letters)
      for (const name of [`${letter}${ZWNJ}ب`, `ب${ZWNJ}${letter}`])
        assert.equal(isGood(name), domainToASCII(name) !== '', name);
  });

  it('A display name has a limit in code points, and no white space at an end', () => {
    assert.equal(isGood('\u{1f600}'.repeat(50)), true);
    assert.equal(refusalOfName('x'.repeat(51), 50), 'must have at most 50 characters');
    for (const name of [' a', 'a\u00a0', '\u3000'])
      assert.equal(refusalOfName(name, 50), 'must not begin or end with white space', name);
  });
});
