import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Shares } from '../../src/domain/admission/shares.ts';

/** Takes as much as there is for a source, one by one. */
function takeAll(shares: Shares, source: string): number {
  let taken = 0;
  while (shares.take(source)) taken++;
  return taken;
}

it('A source takes half of what is left, and the next one half of the rest', () => {
  const shares = new Shares(16_000);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((source) => takeAll(shares, source)),
    [8_000, 4_000, 2_000, 1_000],
  );
});

it('Sources that take alternately get the same, and a new one still gets something', () => {
  const shares = new Shares(16_000);
  const sources = Array.from({ length: 99 }, (_, number) => String(number));
  const taken = sources.map(() => 0);
  for (let round = 0; round < 1_000; round++)
    for (const [number, source] of sources.entries())
      if (shares.take(source)) taken[number] = (taken[number] ?? 0) + 1;
  assert.deepEqual([...new Set(taken)], [160]);
  assert.equal(takeAll(shares, 'new'), 80);
});

it('What a source gives back can be taken again by any source', () => {
  const shares = new Shares(8);
  assert.ok(shares.take('a', 4));
  assert.ok(!shares.take('a', 1));
  assert.ok(!shares.take('b', 3));
  shares.give('a', 4);
  assert.ok(!shares.take('b', 5));
  assert.ok(shares.take('b', 4));
  shares.give('b', 4);
  assert.ok(shares.take('a', 4));
});
