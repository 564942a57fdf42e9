import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joined, placesIn, type Range, splitAfter } from '../../src/search/places.ts';

const ANY = Number.POSITIVE_INFINITY;

describe('Places of the queue of the index', () => {
  it('Ranges are split after any number of places, and joined again', () => {
    const ranges: readonly Range[] = [
      [1, 3],
      [5, 5],
      [8, 20],
    ];
    assert.equal(placesIn(ranges), 17);
    for (let count = 0; count <= 18; count++) {
      const [first, others] = splitAfter(count, ranges);
      assert.deepEqual([placesIn(first), placesIn(others)], [Math.min(count, 17), Math.max(17 - count, 0)]);
      assert.deepEqual(joined([...others, ...first], ANY), ranges);
    }
    assert.deepEqual(splitAfter(5, ranges), [
      [
        [1, 3],
        [5, 5],
        [8, 8],
      ],
      [[9, 20]],
    ]);
  });

  it('Too many ranges are joined where the gaps are smallest, so none of their places is lost', () => {
    const ranges: readonly Range[] = [
      [1, 1],
      [9, 9],
      [11, 11],
      [19, 19],
      [21, 22],
    ];
    assert.deepEqual(joined(ranges, 5), ranges);
    assert.deepEqual(joined(ranges, 3), [
      [1, 1],
      [9, 11],
      [19, 22],
    ]);
    assert.deepEqual(joined(ranges, 1), [[1, 22]]);
    assert.deepEqual(joined([], 1), []);
  });
});
