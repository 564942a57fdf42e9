import { LRUCache } from 'lru-cache';

/**
 * Remembers up to `entries` values, and forgets what was used longest ago. Bounded by a size of 1 each: bounded by
 * `max`, the library sets all of its memory aside at once, a megabyte for 50,000 entries.
 */
export function lruOf<Value extends {}>(entries: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: entries, sizeCalculation: () => 1 });
}
