const FAILED_MS = 5_000;

export interface IdleTimes {
  /**
   * Without a write for this long, there is time. Batches of writes under full load follow one another
   * sooner; writes that come some hundreds a second, each alone, must not put the work off for ever.
   */
  readonly idleMs: number;
  /** Under writes that never pause, a round is done all the same after this long. */
  readonly longestMs: number;
}

/**
 * Work that writes have put off, in short rounds. With nothing else to do, a round follows a round
 * with a rest as long as itself; while writes come in, they go first. `round` is true while more is waiting.
 */
export class IdleWork {
  readonly #round: () => Promise<boolean>;
  readonly #times: IdleTimes;
  #timer: NodeJS.Timeout | undefined;
  #lastWrite = 0;
  #lastRound = 0;
  #running = Promise.resolve();
  #isStopped = false;

  constructor(round: () => Promise<boolean>, times: IdleTimes) {
    this.#round = round;
    this.#times = times;
  }

  /** There may be something to do now; called after every batch of writes. */
  expect(): void {
    this.#lastWrite = performance.now();
    this.#schedule(this.#times.idleMs);
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
    const { idleMs, longestMs } = this.#times;
    const start = performance.now();
    const isIdle = start - this.#lastWrite >= idleMs;
    const isDue = start - this.#lastRound >= longestMs;
    const pause = isIdle || isDue ? await this.#work(start) : idleMs;
    this.#timer = undefined;
    // What was written during the round was perhaps not seen by it.
    if (pause !== undefined || this.#lastWrite > start) this.#schedule(pause ?? idleMs);
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
