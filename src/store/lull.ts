import { setTimeout as pause } from 'node:timers/promises';

/**
 * Background work waits for a lull between writes, so that no write waits for the work. Some hundreds of single
 * writes a second leave lulls. Writes without a pause leave none, and must not put the work off for ever.
 */
export class Lull {
  readonly #idleMs: number;
  readonly #longestMs: number;
  #lastWrite = -Infinity;

  /** A wait ends when nothing was written for `idleMs`, and at the latest after `longestMs`. Both are milliseconds. */
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
