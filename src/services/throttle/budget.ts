import { LRUCache } from 'lru-cache';
import { tooManyRequests } from '../../domain/failure.ts';
import { type Bucket, secondsUntilFree } from './bucket.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Some 200 bytes each. Whoever has more sources than this is not bounded by counting them. */
const SOURCES = 50_000;

/**
 * How often each source may do something within an hour, far above honest use. It is kept in memory, so each
 * instance has its own and a restart begins anew.
 */
export class Budget {
  readonly #bucket: Bucket | undefined;
  readonly #message: string;
  readonly #emptyAt = new LRUCache<string, number>({ max: SOURCES });

  /** `perHour` 0 is no bound; `message` is the sentence for whoever has spent the budget. */
  constructor(perHour: number, message: string) {
    this.#bucket = perHour > 0 ? { free: perHour, everyMs: Math.floor(HOUR_MS / perHour) } : undefined;
    this.#message = message;
  }

  /** Takes one from the budget of the source. Fails with `too_many_requests` where none is left. */
  spend(source: string, now: number): void {
    if (!this.#bucket) return;
    const emptyAt = Math.max(now, this.#emptyAt.get(source) ?? 0);
    const seconds = secondsUntilFree(this.#bucket, emptyAt, now);
    if (seconds > 0) throw tooManyRequests(this.#message, seconds);
    this.#emptyAt.set(source, emptyAt + this.#bucket.everyMs);
  }
}
