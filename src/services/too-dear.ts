import { MINUTE_MS } from '../domain/time.ts';
import { lruOf } from './lru.ts';

/** How many are remembered at once. */
const MOST = 1_000;

/** Texts or accounts whose work took too long or needed too much memory, and which get no more of it for a minute. */
export class TooDear {
  /** Milliseconds for which each is remembered. */
  static readonly forMs = MINUTE_MS;
  /** When each was last added, by the clock. */
  readonly #since = lruOf<number>(MOST);
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  add(key: string): void {
    this.#since.set(key, this.#clock());
  }

  has(key: string): boolean {
    const [now, since] = [this.#clock(), this.#since.get(key)];
    // If now is before `since`, the clock was set back.
    return since !== undefined && now >= since && now - since < TooDear.forMs;
  }
}
