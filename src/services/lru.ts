import { LRUCache } from 'lru-cache';

/**
 * A cache that holds values up to the size `most` together, and forgets the least recently used. A value has the size 1
 * unless `sizeOf` says otherwise. The library's `max` would allocate all of its memory at once, a megabyte for 50,000
 * entries.
 */
export function lruOf<Value extends {}>(
  most: number,
  sizeOf: (value: Value) => number = () => 1,
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: sizeOf });
}
