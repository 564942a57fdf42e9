import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { highlightsIn, MOST_RANGES } from '../../src/domain/highlights.ts';
import { placedWords } from '../../src/domain/placed-words.ts';
import { SEARCHED_UNITS, type Term, termsOf, wordsOf } from '../../src/domain/words.ts';
import { leastTimes, TICK_MS } from '../support/processor-time.ts';
import { randomFrom } from '../support/seed.ts';
import { RandomTexts, TEXT_CHARACTERS } from '../support/unicode.ts';
import { standsIn } from '../support/words.ts';

/** Ways to write a word that all searches for it find. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  café: ['café', 'CAFE\u0301', 'Ｃａｆé', 'ca\u00adfé'],
  strasse: ['Straße', 'STRASSE', '\u017ftrasse'],
  finden: ['\ufb01nden', 'Finden'],
  σοφοσ: ['σοφός'.normalize('NFD').replace('\u0301', ''), 'ΣΟΦΟΣ'],
  abba: ['\u{1d49c}bba', 'abba'],
  각: ['\u1100\u1161\u11a8', '각', '\u3131\u314f\u11a8'],
};
const SEPARATORS = [' ', ', ', '\n', ' \u{1f3db} ', '—', '\u3000', '...'];

describe('Highlights', () => {
  it('The highlights of random texts are what a plain model finds, however the words are written', (t) => {
    const random = randomFrom(t);
    const pick = <Item>(of: readonly Item[]): Item => {
      const picked = of[Math.floor(random() * of.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    };
    const names = Object.keys(WORDS);
    for (let each = 0; each < 500; each++) {
      const row = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(names));
      const places: { word: string; from: number; to: number }[] = [];
      let text = pick(['', ...SEPARATORS]);
      for (const word of row) {
        const from = [...text].length;
        text += pick(WORDS[word] ?? []);
        places.push({ word, from, to: [...text].length });
        text += pick(SEPARATORS);
      }
      const wanted = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(names));
      const isPhrase = random() < 0.5;
      const written = wanted.map((word) => pick(WORDS[word] ?? [])).join(' ');
      const found = highlightsIn(text, termsOf(isPhrase ? `"${written}"` : `${written} "nowhere"`), false);
      const marked = places.map((_, at) =>
        isPhrase
          ? wanted.some((_word, of) => wanted.every((word, next) => places[at - of + next]?.word === word))
          : wanted.includes(places[at]?.word ?? ''),
      );
      const points = [...text];
      const covered = points.map((_, at) => found.some(([from, to]) => from <= at && at < to));
      for (const [at, { from, to }] of places.entries())
        assert.deepEqual(
          covered.slice(from, to),
          covered.slice(from, to).fill(marked[at] ?? false),
          JSON.stringify({ text, written, isPhrase, found }),
        );
      const phrases = isPhrase ? wanted.length : 1;
      assert.ok(
        found.every(([from, to]) => from < to && wordsOf(points.slice(from, to).join('')).length >= phrases),
      );
    }
  });

  it('In any random text the places of words are those of its words, and a highlight is there where a term is', (t) => {
    const random = randomFrom(t);
    const texts = new RandomTexts(Math.floor(random() * 2 ** 31));
    for (let each = 0; each < 1_000; each++) {
      const text = texts.text(TEXT_CHARACTERS, 1, 40);
      const placed = placedWords(text, false).words.map(({ word }) => word);
      assert.deepEqual(placed, wordsOf(text), JSON.stringify(text));
      const terms = termsOf(texts.part(text, 1, 4));
      const found = highlightsIn(text, terms, false);
      assert.equal(
        found.length > 0,
        terms.some((term) => standsIn(placed, term)),
        JSON.stringify(text),
      );
      let last = 0;
      for (const [from, to] of found) {
        assert.ok(last <= from && from < to && to <= [...text].length);
        const part = wordsOf([...text].slice(from, to).join(''));
        assert.ok(
          terms.some((term) => standsIn(part, loose(term))),
          JSON.stringify({ text, terms, found }),
        );
        last = to;
      }
    }
  });

  it('A word that is only begun, a pair of characters, and one character that stands for several are highlighted', () => {
    const found = (keyword: string, text: string) =>
      highlightsIn(text, termsOf(keyword), false).map(([from, to]) => [...text].slice(from, to).join(''));
    assert.deepEqual(found('mark', 'Market, remark, MARKS'), ['Mark', 'MARK']);
    assert.deepEqual(found('"mark"', 'Market, mark'), ['mark']);
    assert.deepEqual(found('東京', '新東京都。東京'), ['東京', '東京']);
    assert.deepEqual(found('京', '東京都'), ['京']);
    assert.deepEqual(found('fin', 'ﬁnally'), ['ﬁn']);
    assert.deepEqual(found('2', '½ 1 2'), ['½', '2']);
    assert.deepEqual(found('caf', 'cafe\u0301'), ['caf']);
    assert.deepEqual(found('so', 'a so\u00ad b'), ['so']);
    assert.deepEqual(found('b "a b"', 'a  b b'), ['a  b', 'b']);
    assert.deepEqual(found('!', 'a!'), []);
  });

  it('Terms that match everywhere in a text cost little more than finding its words', async () => {
    const text = '人'.repeat(SEARCHED_UNITS);
    const terms = termsOf(Array(50).fill('人').join(' '));
    const [words, highlights] = await leastTimes(
      3,
      () => placedWords(text, false),
      () => assert.equal(highlightsIn(text, terms, false).length, MOST_RANGES),
    );
    assert.ok(highlights < 50 * words + TICK_MS, `${highlights} ms, ${words} ms for its words`);
  });

  it('At the end of a text that was cut, only the beginning of a word is known', () => {
    assert.deepEqual(highlightsIn('a market', termsOf('"market"'), true), []);
    assert.deepEqual(highlightsIn('a market', termsOf('market'), true), [[2, 8]]);
    assert.deepEqual(highlightsIn('a market ', termsOf('"market"'), true), [[2, 8]]);
  });

  it('A text has the first highlights only, and none beyond what a search reads', () => {
    assert.deepEqual(
      highlightsIn('ab '.repeat(50), termsOf('ab'), false),
      Array.from({ length: MOST_RANGES }, (_, at) => [3 * at, 3 * at + 2]),
    );
    for (const [filler, folded] of [
      ['x ', 2],
      ['½ ', 4],
    ] as const) {
      const before = filler.repeat((SEARCHED_UNITS - 40) / folded);
      for (const more of [0, 34, 35, 36, 37, 38, 39, 40]) {
        const text = `${before}${' '.repeat(more)}word`;
        const isFound = wordsOf(text).includes('word');
        assert.equal(isFound, more <= 36);
        assert.equal(
          highlightsIn(text, termsOf('"word"'), false).length,
          isFound ? 1 : 0,
          `${filler}${more}`,
        );
      }
    }
  });
});

/** A highlight may end before its word does. */
function loose(term: Term): Term {
  return { ...term, isPrefix: true };
}
