import { tooManyRequests } from '../../domain/failure.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { lruOf } from '../lru.ts';
import { type Bucket, secondsUntilFree } from './bucket.ts';

/** Some 200 bytes each. Whoever has more names than this is not bounded by counting them. */
const NAMES = 50_000;
/** Times are sums of fractions of a millisecond. */
const ROUNDING_MS = 1;

/**
 * How much each source or account may do within an hour, far above honest use. It is kept in memory, so each
 * instance has its own and a restart begins anew.
 */
export class Budget {
  readonly #bucket: Bucket | undefined;
  readonly #message: string;
  readonly #emptyAt = lruOf<number>(NAMES);

  /** `perHour` 0 is no bound; `message` is the sentence for whoever has spent the budget. */
  constructor(perHour: number, message: string) {
    this.#bucket = perHour > 0 ? { free: perHour, everyMs: HOUR_MS / perHour } : undefined;
    this.#message = message;
  }

  /**
   * Takes so much from the budget of the name; more than all of it is all of it. Fails with `too_many_requests`
   * where that is not left.
   */
  spend(name: string, now: number, amount = 1): void {
    if (!this.#bucket) return;
    const { free, everyMs } = this.#bucket;
    const emptyAt = Math.max(now, this.#emptyAt.get(name) ?? 0) + Math.min(amount, free) * everyMs;
    const seconds = secondsUntilFree(this.#bucket, emptyAt - everyMs - ROUNDING_MS, now);
    if (seconds > 0) throw tooManyRequests(this.#message, seconds);
    this.#emptyAt.set(name, emptyAt);
  }

  /** Gives back one that was spent: what it was spent on turned out not to count. */
  giveBack(name: string): void {
    const emptyAt = this.#emptyAt.get(name);
    if (this.#bucket && emptyAt !== undefined) this.#emptyAt.set(name, emptyAt - this.#bucket.everyMs);
  }
}
