import { tooManyRequests } from '../../domain/failure.ts';
import { type LimitSettings, LOCAL_LIMITS } from '../../domain/limits.ts';
import type { Workers } from '../../domain/workers.ts';
import { lruOf } from '../lru.ts';
import { type Sum, SumsOfWorkers } from './among-workers.ts';
import { everyMs, secondsUntilFree } from './bucket.ts';

/**
 * Counted sources or accounts of each limit, about 200 bytes each. Counting does not bound a flood from more sources.
 */
const COUNTED = 50_000;
/** Times are sums of fractions of a millisecond. */
const ROUNDING_MS = 1;

export type LocalLimit = keyof typeof LOCAL_LIMITS;

/**
 * The limits that this instance counts in its memory. Each instance has its own, and a restart resets them. The workers of
 * an instance tell each other what they counted.
 */
export class LocalLimits {
  readonly #settings: LimitSettings;
  readonly #clock: () => number;
  /** For each limit, the time at which each bucket will be empty. */
  readonly #emptyAt = new Map<LocalLimit, ReturnType<typeof lruOf<number>>>();

  readonly #others: SumsOfWorkers | undefined;

  constructor(settings: LimitSettings, clock: () => number, workers?: Workers) {
    this.#settings = settings;
    this.#clock = clock;
    this.#others =
      workers && new SumsOfWorkers(workers, 'spent', (limit, of, amount) => this.#add(limit, of, amount));
    this.#others?.answerWith(() => this.#known());
  }

  /** Called before the first request: a worker that replaces another goes on with what all have counted. */
  async begin(): Promise<void> {
    for (const [limit, of, emptyAt] of (await this.#others?.known()) ?? [])
      if (isLocalLimit(limit)) {
        const used = this.#bucketsOf(limit);
        used.set(of, Math.max(emptyAt, used.get(of) ?? 0));
      }
  }

  /**
   * Takes an amount from the limit of a source or an account. A larger amount than the limit counts as the whole limit.
   * Fails with `too_many_requests` if not enough is left.
   */
  spend(limit: LocalLimit, of: string | number, amount = 1): void {
    const rate = this.#rateOf(limit);
    if (rate.most === 0) return;
    const now = this.#clock();
    const used = this.#bucketsOf(limit);
    // A fuller bucket was filled under a clock that was ahead, or by several workers at once. It is made exactly full, so
    // that it drains from now on.
    const before = Math.min(Math.max(now, used.get(String(of)) ?? 0), now + rate.withinMs);
    const emptyAt = before + Math.min(amount, rate.most) * everyMs(rate);
    const seconds = secondsUntilFree(rate, emptyAt - everyMs(rate) - ROUNDING_MS, now);
    if (seconds > 0) {
      used.set(String(of), before);
      throw tooManyRequests(rate.refusal, seconds, limit);
    }
    used.set(String(of), emptyAt);
    this.#others?.note(limit, of, Math.min(amount, rate.most));
  }

  /** The whole limit, and what is left of it for a source or an account. */
  roomOf(limit: LocalLimit, of: string | number): { readonly most: number; readonly left: number } {
    const rate = this.#rateOf(limit);
    if (rate.most === 0) return { most: Number.POSITIVE_INFINITY, left: Number.POSITIVE_INFINITY };
    const untilEmpty = (this.#bucketsOf(limit).get(String(of)) ?? 0) - this.#clock();
    const left = (rate.withinMs - Math.max(0, untilEmpty) + ROUNDING_MS) / everyMs(rate);
    return { most: rate.most, left };
  }

  /** Returns what turned out not to count. */
  giveBack(limit: LocalLimit, of: string | number, amount = 1): void {
    const used = this.#bucketsOf(limit);
    const emptyAt = used.get(String(of));
    if (emptyAt === undefined) return;
    const rate = this.#rateOf(limit);
    const counted = Math.min(amount, rate.most);
    used.set(String(of), emptyAt - counted * everyMs(rate));
    this.#others?.note(limit, of, -counted);
  }

  /** Counts what another worker has counted already. */
  #add(limit: string, of: string, amount: number): void {
    if (!isLocalLimit(limit)) return;
    const used = this.#bucketsOf(limit);
    const emptyAt = Math.max(this.#clock(), used.get(of) ?? 0);
    used.set(of, emptyAt + amount * everyMs(this.#rateOf(limit)));
  }

  /** When each bucket will be empty, those used longest ago first. */
  #known(): Sum[] {
    const now = this.#clock();
    return [...this.#emptyAt].flatMap(([limit, used]) =>
      [...used.rkeys()]
        .map((of): Sum => [limit, of, used.peek(of) ?? 0])
        .filter(([, , emptyAt]) => emptyAt > now),
    );
  }

  #rateOf(limit: LocalLimit) {
    const { most, ...rate } = LOCAL_LIMITS[limit];
    return { ...rate, most: typeof most === 'number' ? most : this.#settings[most] };
  }

  #bucketsOf(limit: LocalLimit) {
    const buckets = this.#emptyAt.get(limit) ?? lruOf<number>(COUNTED);
    this.#emptyAt.set(limit, buckets);
    return buckets;
  }
}

function isLocalLimit(name: string): name is LocalLimit {
  return Object.hasOwn(LOCAL_LIMITS, name);
}
