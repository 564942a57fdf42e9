import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasDigitsOfOneKind, isOfOneScript } from '../../src/domain/script.ts';

it('Every letter, mark and digit that the runtime knows is of a script that names may have', () => {
  const unknown: string[] = [];
  for (let point = 1; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    if (/[\p{L}\p{M}\p{Nd}]/u.test(character) && !isOfOneScript(character)) unknown.push(point.toString(16));
  }
  assert.deepEqual(unknown, []);
});

it('Each digit is of one kind with the other nine of its numbering system, and with those of no other', () => {
  const zeros: number[] = [];
  for (let point = 1; point <= 0x10ffff; point++) {
    if (/^\p{Nd}$/u.test(String.fromCodePoint(point)) && !zeros.some((zero) => point - zero < 10))
      zeros.push(point);
  }
  assert.ok(zeros.length > 70, `${zeros.length} numbering systems`);
  for (const zero of zeros) {
    const ten = String.fromCodePoint(...Array.from({ length: 10 }, (_, digit) => zero + digit));
    assert.equal(ten.normalize('NFKD').length % 10, 0);
    assert.ok(hasDigitsOfOneKind(ten), `U+${zero.toString(16)}`);
    const other = zeros.find((each) => each !== zero) ?? 0;
    assert.ok(!hasDigitsOfOneKind(ten + String.fromCodePoint(other)), `U+${zero.toString(16)}`);
  }
});
