import { MINUTE_MS } from './time.ts';

/** The most lines in a minute. What one line tells may happen a thousand times a second. */
const LINES = 10;

interface Log {
  warn(about: object, message: string): void;
}

/** Logs what may happen very often. A line also tells how many were left out since the one before. */
export class BoundedLog {
  readonly #log: Log;
  readonly #now: () => number;
  #minute = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #leftOut = 0;

  /** `now` is in milliseconds. */
  constructor(log: Log, now = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  note(about: object, message: string): void {
    const now = this.#now();
    if (now - this.#minute >= MINUTE_MS) [this.#minute, this.#lines] = [now, 0];
    if (this.#lines >= LINES) {
      this.#leftOut++;
      return;
    }
    this.#lines++;
    const left_out = this.#leftOut;
    this.#leftOut = 0;
    this.#log.warn({ ...about, ...(left_out > 0 && { left_out }) }, message);
  }
}
