import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isoTime } from '../../src/domain/time.ts';
import { randomFrom } from '../support/seed.ts';

it('A time is written as the runtime writes it, on every day and at every millisecond', (t) => {
  const random = randomFrom(t);
  const edges = [
    0, 1, 999, 1_000, 59_999, 60_000, 86_399_999, 86_400_000, 951_782_400_000, 253_402_300_799_999,
  ];
  const anywhere = Array.from({ length: 20_000 }, () => Math.floor(random() * 4e12));
  for (const time of [...edges, ...anywhere]) assert.equal(isoTime(time), new Date(time).toISOString());
});
