import { LRUCache } from 'lru-cache';

/**
 * Remembers values up to a size of `most` together, and forgets what was used longest ago. A value has the size 1 where
 * `sizeOf` says nothing else. Bounded by `max`, the library sets all of its memory aside at once, a megabyte for 50,000
 * entries.
 */
export function lruOf<Value extends {}>(
  most: number,
  sizeOf: (value: Value) => number = () => 1,
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: sizeOf });
}
