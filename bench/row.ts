import type { Datasets } from './datasets/datasets.ts';
import type { Generator } from './load/generator.ts';
import type { Percentiles } from './load/job.ts';
import type { Target } from './target.ts';

/** The tools of a row. */
export interface Bench {
  readonly target: Target;
  readonly datasets: Datasets;
  /** Makes the load that is measured. */
  readonly load: Generator;
  /** Makes other load at the same time. */
  readonly background: Generator;
  /** How often each side is measured; the median counts. */
  readonly rounds: number;
  /** How long each side is measured in a round. */
  readonly seconds: number;
  /** How long the row of steady writes lasts. */
  readonly steadySeconds: number;
  /** Writes CPU profiles of the service. */
  readonly profile: boolean;
}

/** One line of the table. */
export interface Line {
  readonly work: string;
  readonly promise: string;
  readonly measured: string;
  /** The absolute figures behind it. */
  readonly detail: string;
  readonly verdict: 'pass' | 'short' | 'no promise';
}

export interface LatencyBars {
  readonly label: string;
  readonly latency: Percentiles;
}

/** What one answer costs at a size, such as a number of rows. */
export interface CostPoint {
  readonly series: string;
  readonly size: number;
  readonly microseconds: number;
}

export interface RowResult {
  readonly lines: readonly Line[];
  readonly latency?: readonly LatencyBars[];
  readonly cost?: readonly CostPoint[];
}

/** A part of the table that can run by itself. */
export interface Row {
  readonly name: string;
  readonly needs: (datasets: Datasets) => readonly Datasets['growing'][number][];
  readonly run: (bench: Bench) => Promise<RowResult>;
}

/** The verdict on a promise. */
export function verdict(holds: boolean): Line['verdict'] {
  return holds ? 'pass' : 'short';
}

/** The middle value, or the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

export function medianPercentiles(all: readonly Percentiles[]): Percentiles {
  const of = (name: keyof Percentiles) => median(all.map((each) => each[name]));
  return { p50: of('p50'), p90: of('p90'), p99: of('p99'), p999: of('p999'), max: of('max') };
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
