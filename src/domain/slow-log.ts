import { MINUTE_MS } from './time.ts';

/** From this many milliseconds on, a request or an operation is slow. */
export const SLOW_MS = 1_000;
/** The most lines in a minute, because everything is slow at once where the machine is. */
const LINES = 10;

interface Log {
  warn(about: object, message: string): void;
}

/** Logs what is slow. A line also tells how many were left out since the one before. */
export class SlowLog {
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
