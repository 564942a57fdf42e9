import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isoTime } from '../../src/domain/time.ts';
import { timeFormats } from '../../src/http/time-query.ts';
import { randomFrom } from '../support/seed.ts';

it('A time is written as the runtime writes it, on every day and at every millisecond', (t) => {
  const random = randomFrom(t);
  const edges = [
    0, 1, 999, 1_000, 59_999, 60_000, 86_399_999, 86_400_000, 951_782_400_000, 253_402_300_799_999,
  ];
  const anywhere = Array.from({ length: 20_000 }, () => Math.floor(random() * 4e12));
  for (const time of [...edges, ...anywhere]) assert.equal(isoTime(time), new Date(time).toISOString());
});

it('A time is accepted only if its year in UTC has four digits', () => {
  const isTime = timeFormats['date-time']?.validate;
  for (const [text, accepted] of [
    ['9999-12-31T23:59:59Z', true],
    ['9999-12-31T23:59:59+12:00', true],
    ['9999-12-31T23:59:59-12:00', false],
    ['0000-01-01T00:00:00Z', true],
    ['0000-01-01T00:00:00+01:00', false],
  ] as const)
    assert.equal(isTime?.(text), accepted, text);
});
