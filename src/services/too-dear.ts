import { MINUTE_MS } from '../domain/time.ts';
import { lruOf } from './lru.ts';

/** How many are remembered at once. */
const MOST = 1_000;

/**
 * Texts or accounts whose work took too long or needed too much memory, `most` times within a minute. They get no more
 * of it until the first of these is a minute old.
 */
export class TooDear {
  /** Milliseconds for which each is remembered. */
  static readonly forMs = MINUTE_MS;
  /** When each was added, by the clock: the last `most` times. */
  readonly #added = lruOf<readonly number[]>(MOST);
  readonly #clock: () => number;
  readonly #most: number;

  constructor(clock: () => number = () => performance.now(), most = 1) {
    this.#clock = clock;
    this.#most = most;
  }

  add(key: string): void {
    this.#added.set(key, [...(this.#added.get(key) ?? []), this.#clock()].slice(-this.#most));
  }

  has(key: string): boolean {
    const [now, added = []] = [this.#clock(), this.#added.get(key)];
    // If now is before such a time, the clock was set back.
    const isRecent = (at: number) => now >= at && now - at < TooDear.forMs;
    return added.filter(isRecent).length >= this.#most;
  }
}
