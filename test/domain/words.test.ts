import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SEARCHED_UNITS, type Term, termsOf, wordsOf } from '../../src/domain/words.ts';
import { standsIn } from '../support/words.ts';

describe('Words of texts', () => {
  it('The words of a text are its runs of letters, marks and digits, folded', () => {
    assert.deepEqual(wordsOf('Hello, WÖRLD: 42 times_over!'), ['hello', 'wörld', '42', 'times', 'over']);
    assert.deepEqual(wordsOf('हिन्दी में'), ['हिन्दी', 'में']);
    assert.deepEqual(wordsOf('п\u02bcять'), ['п\u02bcять']);
    assert.deepEqual(wordsOf('soft\u00adhyphen'), ['softhyphen']);
    assert.deepEqual(wordsOf(' ... '), []);
  });

  it('The words of scripts without spaces are overlapping pairs and the last character', () => {
    assert.deepEqual(wordsOf('富士山 abc'), ['富士', '士山', '山', 'abc']);
    assert.deepEqual(wordsOf('iPhone手機'), ['iphone', '手機', '機']);
    assert.deepEqual(wordsOf('本'), ['本']);
    assert.deepEqual(wordsOf('ไทย'), ['ไท', 'ทย', 'ย']);
  });

  it('The words of each script that is written with spaces are whole', () => {
    const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/v;
    for (let point = 0; point < 0x20000; point++) {
      const letter = String.fromCodePoint(point);
      if (
        /[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]/v.test(letter) &&
        letter.normalize('NFKC') === letter
      )
        assert.equal(
          wordsOf(`${letter}${letter}`).length === 1,
          point < 0xe00 || !unspaced.test(letter),
          point.toString(16),
        );
    }
  });

  it('The words of a text count up to 64 characters each, in its first 100,000 code units', () => {
    assert.deepEqual(wordsOf('x'.repeat(70)), ['x'.repeat(64)]);
    const words = wordsOf(`${'a '.repeat(SEARCHED_UNITS / 2)}beyond`);
    assert.equal(words.length, SEARCHED_UNITS / 2);
    // One character that folds to eighteen must not make more of a text than its bound.
    assert.ok(wordsOf('\ufdfa'.repeat(SEARCHED_UNITS)).join(' ').length <= 2 * SEARCHED_UNITS);
    // The bound never cuts a character in two.
    assert.ok(
      wordsOf(`a${'\u{20000}'.repeat(SEARCHED_UNITS)}`)
        .join('')
        .isWellFormed(),
    );
  });
});

describe('Terms of keywords', () => {
  const term = (isPrefix: boolean, ...words: string[]): Term => ({ words, isPrefix });

  it('The terms of a keyword are its words, and the last one may be a beginning', () => {
    assert.deepEqual(termsOf('Hello Wor'), [term(false, 'hello'), term(true, 'wor')]);
    assert.deepEqual(termsOf('  !! '), []);
  });

  it('Up to two Latin letters at the end are a whole word, and one richer character is a beginning', () => {
    assert.deepEqual(termsOf('a b'), [term(false, 'a'), term(false, 'b')]);
    assert.deepEqual(termsOf('да'), [term(true, 'да')]);
    assert.deepEqual(termsOf('한'), [term(true, '한')]);
  });

  it('A phrase in quotation marks is one term, and ends with a whole word where the marks are closed', () => {
    assert.deepEqual(termsOf('"old man" sea'), [term(false, 'old', 'man'), term(true, 'sea')]);
    assert.deepEqual(termsOf('sea "old man"'), [term(false, 'sea'), term(false, 'old', 'man')]);
    assert.deepEqual(termsOf('"old man'), [term(true, 'old', 'man')]);
    assert.deepEqual(termsOf('""'), []);
  });

  it('A keyword of a script without spaces is pairs in a row, and a single character is a beginning', () => {
    assert.deepEqual(termsOf('富士山'), [term(false, '富士', '士山')]);
    assert.deepEqual(termsOf('山'), [term(true, '山')]);
    assert.deepEqual(termsOf('"山 hello"'), [term(false, '山', 'hello')]);
  });

  it('The terms of a keyword find every text by each of its words, and by all of them in a row', () => {
    const text = fc.array(fc.constantFrom(...'ab cdé富士山ไท한국 .-"ß1'), { maxLength: 40 });
    fc.assert(
      fc.property(text, (characters) => {
        const words = wordsOf(characters.join(''));
        const plain = characters.join('').replaceAll('"', ' ');
        for (const term of [...termsOf(plain), ...termsOf(`"${plain}"`)]) assert.ok(standsIn(words, term));
      }),
    );
  });
});
