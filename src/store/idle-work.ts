/**
 * Without a write for this long, there is time. Under full load writes follow one another faster; some
 * hundreds a second must not put the work off for ever.
 */
const IDLE_MS = 2;
const FAILED_MS = 5_000;

/**
 * Work that writes have put off, in short rounds. With nothing else to do, a round follows a round
 * with a rest as long as itself; while writes come in, they go first, but for one round each `longestMs`.
 * `round` is true while more is waiting.
 */
export class IdleWork {
  readonly #round: () => Promise<boolean>;
  readonly #longestMs: number;
  #timer: NodeJS.Timeout | undefined;
  #lastWrite = 0;
  #lastRound = 0;
  #running = Promise.resolve();
  #isStopped = false;

  constructor(round: () => Promise<boolean>, { longestMs }: { readonly longestMs: number }) {
    this.#round = round;
    this.#longestMs = longestMs;
  }

  /** There may be something to do now; called after every batch of writes. */
  expect(): void {
    this.#lastWrite = performance.now();
    this.#schedule(IDLE_MS);
  }

  /** Begins no other round, and waits for the one under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(pause: number): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#running = this.#workIfIdle();
    }, pause);
  }

  async #workIfIdle(): Promise<void> {
    const start = performance.now();
    const isIdle = start - this.#lastWrite >= IDLE_MS;
    const isDue = start - this.#lastRound >= this.#longestMs;
    const pause = isIdle || isDue ? await this.#work(start) : IDLE_MS;
    this.#timer = undefined;
    // What was written during the round was perhaps not seen by it.
    if (pause !== undefined || this.#lastWrite > start) this.#schedule(pause ?? IDLE_MS);
  }

  /** How long to rest, or undefined when nothing is left to do. */
  async #work(start: number): Promise<number | undefined> {
    try {
      const isMoreWaiting = await this.#round();
      this.#lastRound = performance.now();
      return isMoreWaiting ? this.#lastRound - start : undefined;
    } catch {
      return FAILED_MS;
    }
  }
}
