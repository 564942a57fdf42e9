import { setTimeout as pause } from 'node:timers/promises';
import { type Reading, readingsOf } from '../domain/metrics.ts';

/** The database is asked at most once in this time, however often the metrics are read. */
const AGAIN_MS = 15_000;
/** How long the metrics wait for the database. The last figures are reported after that. */
const PATIENCE_MS = 2_000;

export type Measure = () => Promise<readonly Reading[]>;

/**
 * Figures that the database has to be asked for. They are asked one after another, so that they take one connection, and
 * never twice at the same time. What cannot be read is left out, and counted.
 */
export class Measured {
  readonly #measures: () => readonly Measure[];
  readonly #clock: () => number;
  readonly #patience: number;
  #last: readonly Reading[] = [];
  /** When the last figures were read, and when they were last asked for, in milliseconds since 1970. */
  #readAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #measuring: Promise<void> | undefined;

  constructor(measures: () => readonly Measure[], clock: () => number, patience = PATIENCE_MS) {
    this.#measures = measures;
    this.#clock = clock;
    this.#patience = patience;
  }

  async readings(): Promise<readonly Reading[]> {
    const now = this.#clock();
    // If now is before it, the clock was set back.
    const isDue = now - this.#askedAt >= AGAIN_MS || now < this.#askedAt;
    if (!this.#measuring && isDue) {
      this.#askedAt = now;
      this.#measuring = this.#measure().finally(() => {
        this.#measuring = undefined;
      });
    }
    const end = new AbortController();
    const late = pause(this.#patience, undefined, { ref: false, signal: end.signal }).catch(() => {});
    await Promise.race([this.#measuring, late]).finally(() => end.abort());
    return [
      ...this.#last,
      ...readingsOf({
        stoa_measured_timestamp_seconds: this.#readAt / 1_000,
        stoa_measure_failures_total: this.#failures,
      }),
    ];
  }

  /** Resolves when no figure is being read. */
  async settled(): Promise<void> {
    await this.#measuring;
  }

  async #measure(): Promise<void> {
    const found: Reading[] = [];
    let failures = 0;
    for (const measure of this.#measures())
      try {
        found.push(...(await measure()));
      } catch {
        // The job that watches the database reports its cause.
        failures++;
      }
    this.#failures += failures;
    this.#last = found;
    if (failures === 0) this.#readAt = this.#clock();
  }
}
