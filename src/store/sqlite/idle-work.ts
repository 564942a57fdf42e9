/** After the last write, so that a burst is over before the index is brought up. */
const PAUSE_MS = 20;
/** Under load the work gets a tenth of the time; with nothing else to do, half of it. */
const REST = { whileBusy: 9, whileIdle: 1 };
const FAILED_MS = 5_000;

/**
 * Work that the writer has put off and does when nothing waits for it: in short rounds, with a rest
 * after each that is measured by the round. `round` is true while more is waiting.
 */
export class IdleWork {
  readonly #round: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #wasBusy = false;

  constructor(round: () => Promise<boolean>) {
    this.#round = round;
  }

  /** There may be something to do now; called after every batch of writes. */
  expect(): void {
    this.#wasBusy = true;
    this.#schedule(PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(pause: number): void {
    this.#timer ??= setTimeout(() => this.#work(), pause);
  }

  async #work(): Promise<void> {
    const start = performance.now();
    const isBusy = this.#wasBusy;
    this.#wasBusy = false;
    const pause = await this.#round().then(
      (isMoreWaiting) => {
        if (!isMoreWaiting) return undefined;
        return (performance.now() - start) * (isBusy ? REST.whileBusy : REST.whileIdle);
      },
      () => FAILED_MS,
    );
    this.#timer = undefined;
    // What was written during the round was perhaps not seen by it.
    if (pause !== undefined || this.#wasBusy) this.#schedule(pause ?? PAUSE_MS);
  }
}
