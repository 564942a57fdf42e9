import type { Job } from '../domain/jobs.ts';

/** Milliseconds between two points. */
export const STEP_MS = 10_000;
/** A quarter of an hour. */
export const POINTS = 90;

/** What is counted since the start of the process, and what is measured now. */
export interface Sample {
  /** Requests, answers that are a fault of the service, and passwords that were hashed: since the start. */
  readonly requests: number;
  readonly server_errors: number;
  readonly passwords: number;
  /** Milliseconds that the main thread has worked since the start. */
  readonly worked: number;
  readonly memory_bytes: number;
}

/** The points of each series, oldest first. */
export type Series = Record<keyof typeof OF, number[]>;

/** A point of each series: what happened between two samples. */
const OF = {
  requests: (now: Sample, before: Sample) => now.requests - before.requests,
  server_errors: (now: Sample, before: Sample) => now.server_errors - before.server_errors,
  passwords: (now: Sample, before: Sample) => now.passwords - before.passwords,
  busy_percent: (now: Sample, before: Sample, passed: number) =>
    Math.min(100, Math.max(0, Math.round((1_000 * (now.worked - before.worked)) / passed) / 10)),
  memory_bytes: (now: Sample) => now.memory_bytes,
};
const SERIES = Object.keys(OF) as (keyof typeof OF)[];

/** What happened in this process in the last minutes. It is in memory only: a few numbers for each step. */
export class Rates {
  readonly #sample: () => Sample;
  readonly #points: Series = {
    requests: [],
    server_errors: [],
    passwords: [],
    busy_percent: [],
    memory_bytes: [],
  };
  #last: { readonly at: number; readonly sample: Sample } | undefined;

  constructor(sample: () => Sample) {
    this.#sample = sample;
  }

  get job(): Job {
    return { name: 'sampling rates', every: STEP_MS, run: async () => this.add(performance.now()) };
  }

  /** Adds a point. `at` is in milliseconds of a clock that only goes forward. */
  add(at: number): void {
    const sample = this.#sample();
    const last = this.#last;
    this.#last = { at, sample };
    if (last === undefined || at <= last.at) return;
    for (const name of SERIES) {
      const points = this.#points[name];
      points.push(OF[name](sample, last.sample, at - last.at));
      if (points.length > POINTS) points.shift();
    }
  }

  get series(): Series {
    return this.#points;
  }
}
