import { LRUCache } from 'lru-cache';
import type { Reading } from '../domain/metrics.ts';

/** A cache that counts its look-ups. */
export class CountedCache<Value extends {}> extends LRUCache<string, Value> {
  hits = 0;
  misses = 0;

  override get(key: string): Value | undefined {
    const value = super.get(key);
    if (value === undefined) this.misses++;
    else this.hits++;
    return value;
  }

  /** `cache` is the name that the metrics have for it. */
  readings(cache: string): Reading[] {
    return [
      { name: 'stoa_cache_hits_total', value: this.hits, labels: { cache } },
      { name: 'stoa_cache_misses_total', value: this.misses, labels: { cache } },
      { name: 'stoa_cache_entries', value: this.size, labels: { cache } },
    ];
  }
}

/**
 * A cache that holds values up to the size `most` together, and forgets the least recently used. A value has the size 1
 * unless `sizeOf` says otherwise. The library's `max` would allocate all of its memory at once, a megabyte for 50,000
 * entries.
 */
export function lruOf<Value extends {}>(
  most: number,
  sizeOf: (value: Value) => number = () => 1,
): CountedCache<Value> {
  return new CountedCache({ maxSize: most, sizeCalculation: sizeOf });
}
