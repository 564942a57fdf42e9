import { setTimeout as pause } from 'node:timers/promises';

/**
 * Background work waits for a pause between writes, so that no write waits for the work. Some hundreds of single writes
 * a second leave pauses. Writes without a pause must not postpone the work for ever.
 */
export class WritePause {
  readonly #idleMs: number;
  readonly #longestMs: number;
  #lastWrite = -Infinity;

  /** A wait ends after `idleMs` without a write, and at the latest after `longestMs`. Both are milliseconds. */
  constructor(idleMs: number, longestMs: number) {
    this.#idleMs = idleMs;
    this.#longestMs = longestMs;
  }

  /** Called while a write is under way, and when it is answered. */
  disturb(): void {
    this.#lastWrite = performance.now();
  }

  async wait(): Promise<void> {
    const end = performance.now() + this.#longestMs;
    while (performance.now() < Math.min(end, this.#lastWrite + this.#idleMs)) await pause(this.#idleMs);
  }
}
