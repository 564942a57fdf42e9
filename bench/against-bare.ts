import { type Comparison, compare, type Side } from './compare.ts';
import { type Bench, type LatencyBars, type Line, perSecond, verdict } from './row.ts';
import { startBare } from './servers/bare.ts';
import type { Sample } from './servers/sample.ts';
import type { Server } from './servers/stoa.ts';

interface Question {
  readonly work: string;
  /** The promise: at least this share of the bare server's rate. Without it, the ratio is for information. */
  readonly atLeast?: number;
  readonly sample: Sample;
  readonly load: Omit<Side, 'port' | 'pid'>;
}

/** Compares the service's rate with that of a bare server that repeats the same answer to the same requests. */
export async function againstBare(
  bench: Bench,
  stoa: Server,
  { work, atLeast, sample, load }: Question,
): Promise<{ line: Line; latency: LatencyBars[] }> {
  const bare = await startBare(sample);
  try {
    const side = ({ port, pid }: Server): Side => ({ ...load, port, pid });
    const comparison = await compare(bench, side(stoa), side(bare));
    return { line: lineOf(work, atLeast, comparison), latency: latencyOf(work, comparison) };
  } finally {
    await bare.stop();
  }
}

function lineOf(work: string, atLeast: number | undefined, { ratio, first, second }: Comparison): Line {
  const errors = first.errors + second.errors;
  return {
    work,
    promise: atLeast === undefined ? '' : `>= ${atLeast.toFixed(2)} of bare`,
    measured: ratio.toFixed(2),
    detail: [
      `${perSecond(first.rate)} against ${perSecond(second.rate)}`,
      `processor ${first.processor.toFixed(0)} against ${second.processor.toFixed(0)} µs an answer`,
      ...(errors ? [`${errors} errors`] : []),
    ].join('; '),
    verdict: atLeast === undefined ? 'no promise' : verdict(ratio >= atLeast && errors === 0),
  };
}

function latencyOf(work: string, { first, second }: Comparison): LatencyBars[] {
  return [
    { label: work, latency: first.latency },
    { label: `${work} (bare)`, latency: second.latency },
  ];
}
