import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { hasPasswordLength } from '../../src/domain/password.ts';
import { inNfc, streamSafe } from '../../src/domain/stream-safe.ts';
import { foldKey } from '../../src/domain/text.ts';
import { normaliseMembers } from '../../src/http/nfc.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { foldWithoutBound, isMark, longestRun, NOT_FIRST, STARTING } from '../support/marks.ts';

/** UAX #15, section 13. */
const BOUND = 30;
const JOINER = '\u034f';

const runOf = (units: readonly string[], most: number) =>
  fc
    .tuple(fc.constantFrom(...units), fc.integer({ min: 1, max: most }))
    .map(([unit, times]) => unit.repeat(times));
/** Runs of one mark after another, with letters, letters that bring marks, and joiners between them. */
const dearText = fc
  .array(
    fc.oneof(runOf(NOT_FIRST, 70), runOf(STARTING, 2), fc.string({ unit: ANY_CHARACTER, maxLength: 5 })),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));
const anyText = fc.oneof(dearText, fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: 'grapheme' }));
const plainText = anyText.filter((text) => longestRun(text, isMark) <= BOUND);

it('A text made stream-safe never has more than 30 non-starters in a row', () => {
  fc.assert(fc.property(anyText, (text) => assert.ok(longestRun(streamSafe(text)) <= BOUND)));
});

it('No character that normalising moves or joins makes a longer run, whatever it decomposes into', () => {
  for (const first of ['a', '\u1f82', '\u{1d15e}'])
    for (const character of NOT_FIRST)
      for (const times of [10, 11, 14, 15, 28, 29, 31, 70]) {
        const run = longestRun(streamSafe(first + character.repeat(times)));
        assert.ok(
          run <= BOUND,
          `${times} of U+${character.codePointAt(0)?.toString(16)} make a run of ${run}`,
        );
      }
});

it('A text without such a run comes back as it is, and folds as it did without a bound', () => {
  fc.assert(
    fc.property(plainText, (text) => {
      assert.equal(streamSafe(text), text);
      assert.equal(foldKey(text), foldWithoutBound(text));
    }),
  );
});

it('Exactly 30 marks are left unchanged, and the 31st is kept apart from them', () => {
  const marks = '\u0301\u0316'.repeat(BOUND / 2);
  assert.equal(streamSafe(`a${marks}b`), `a${marks}b`);
  assert.equal(streamSafe(`a${marks}\u0301`), `a${marks}${JOINER}\u0301`);
  // The letter brings three marks of its own, U+0344 two.
  assert.equal(streamSafe(`\u1f82${'\u0301'.repeat(28)}`), `\u1f82${'\u0301'.repeat(27)}${JOINER}\u0301`);
  assert.equal(streamSafe('\u0344'.repeat(16)), `${'\u0344'.repeat(15)}${JOINER}\u0344`);
});

it('Making a text stream-safe adds joiners and takes nothing away, and a second time changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const safe = streamSafe(text);
      assert.equal(safe.replaceAll(JOINER, ''), text.replaceAll(JOINER, ''));
      assert.equal(streamSafe(safe), safe);
      assert.equal(foldKey(foldKey(text)), foldKey(text));
    }),
  );
});

it('Nothing reaches the normalisation of a key, a name, an address or a password with a longer run', (t) => {
  const normalised = spyOnNormalising(t);
  fc.assert(
    fc.property(dearText, (text) => {
      foldKey(text);
      normaliseMembers({ username: text, email: text }, ['username', 'email']);
      hasPasswordLength(text);
      inNfc(text);
      for (const each of normalised()) assert.ok(longestRun(each) <= BOUND);
    }),
  );
});

/** The texts that were normalised since it was asked last. */
function spyOnNormalising(t: TestContext): () => string[] {
  const calls: string[] = [];
  const { normalize } = String.prototype;
  t.mock.method(String.prototype, 'normalize', function (this: string, form?: string) {
    calls.push(String(this));
    return normalize.call(this, form);
  });
  return () => calls.splice(0);
}
