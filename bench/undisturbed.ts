import { compare, type Side } from './compare.ts';
import type { Job } from './load/job.ts';
import { type Bench, type LatencyBars, type Line, milliseconds, perSecond, verdict } from './row.ts';

/** The other load runs this long before and after the measurement. */
const MARGIN_SECONDS = 0.5;
/** Requests a second, far below the limit of the service, so that p99 shows a disturbance and not a queue. */
export const CALM_RATE = 2_000;

interface Question {
  readonly work: string;
  /** The promise: with the other load, p99 is at most this many times the p99 without it. */
  readonly atMost: number;
  readonly side: Side;
  /** Begins the other load. The function that it resolves with ends that load and returns its number of errors. */
  readonly begin: () => Promise<() => Promise<number>>;
}

/** The effect of some other load on the p99 of requests, measured with and without the load alternately. */
export async function undisturbed(
  bench: Bench,
  { work, atMost, side, begin }: Question,
): Promise<{ line: Line; latency: LatencyBars[] }> {
  let otherErrors = 0;
  const during = async () => {
    const end = await begin();
    return async () => {
      otherErrors += await end();
    };
  };
  const { p99Ratio, first, second } = await compare(bench, side, side, { during });
  const errors = first.errors + second.errors + otherErrors;
  return {
    line: {
      work,
      promise: `p99 <= ${atMost} x, no errors`,
      measured: `${p99Ratio.toFixed(2)} x, ${errors} errors`,
      detail: [
        `p99 ${milliseconds(first.latency.p99)} against ${milliseconds(second.latency.p99)}`,
        `${perSecond(first.rate)} against ${perSecond(second.rate)}`,
      ].join('; '),
      verdict: verdict(p99Ratio <= atMost && errors === 0),
    },
    latency: [
      { label: work, latency: first.latency },
      { label: `${work} (without)`, latency: second.latency },
    ],
  };
}

/** Begins other load from the second generator, for one round (`Question.begin`). */
export async function beginLoad(bench: Bench, job: Omit<Job, 'seconds'>): Promise<() => Promise<number>> {
  const running = bench.background.run({ ...job, seconds: bench.seconds + 2 * MARGIN_SECONDS });
  await new Promise((resolve) => setTimeout(resolve, MARGIN_SECONDS * 1_000));
  return async () => (await running).errors;
}
