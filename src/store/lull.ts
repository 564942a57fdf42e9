import { setTimeout as pause } from 'node:timers/promises';

/**
 * Background work waits for a lull between writes, so that it is not in their way. Writes that come some
 * hundreds a second, each alone, have lulls. Writes that never pause must not put the work off for ever.
 */
export class Lull {
  readonly #idleMs: number;
  readonly #longestMs: number;
  #lastWrite = -Infinity;

  /** Resolves waits once nothing was written for `idleMs`, or at the latest after `longestMs`. */
  constructor(idleMs: number, longestMs: number) {
    this.#idleMs = idleMs;
    this.#longestMs = longestMs;
  }

  /** A write is under way, or was answered just now. */
  disturb(): void {
    this.#lastWrite = performance.now();
  }

  async wait(): Promise<void> {
    const end = performance.now() + this.#longestMs;
    for (
      let now = performance.now();
      now - this.#lastWrite < this.#idleMs && now < end;
      now = performance.now()
    ) {
      await pause(this.#idleMs);
    }
  }
}
