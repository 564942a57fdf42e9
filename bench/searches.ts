import type { Dataset } from './datasets/datasets.ts';
import { get } from './load/requests.ts';
import { type Bench, type CostPoint, type LatencyBars, type Line, milliseconds, verdict } from './row.ts';
import { signInOne } from './servers/accounts.ts';
import { startStoa } from './servers/stoa.ts';

/** The promise for a kind of search is for at most this many matches, unless `forMany` is set. */
const FEW = 10_000;

export interface Shape {
  readonly what: string;
  /** Paths with a query, used in a cycle. */
  readonly paths: readonly string[];
  /** The promised p99 in milliseconds. Without it, the figure is for information. */
  readonly p99?: number;
  /** True if the promise is for any number of matches. */
  readonly forMany?: boolean;
}

/** The latency of lists and searches of one client that sends one request after another. */
export async function measureSearches(
  bench: Bench,
  dataset: Dataset,
  shapes: readonly Shape[],
  noun: string,
) {
  const stoa = await startStoa(await bench.target.prepare(dataset), bench);
  const lines: Line[] = [];
  const latency: LatencyBars[] = [];
  const cost: CostPoint[] = [];
  try {
    const { token } = await signInOne(stoa.port, dataset);
    for (const { what, paths, p99: limit = 0, forMany = false } of shapes) {
      const matches = await mostMatches(stoa.port, paths, token);
      const requests = paths.map((path) => get(path, token));
      const side = { port: stoa.port, connections: 1, requests };
      await bench.load.run({ ...side, seconds: 0.5 });
      const measured = await bench.load.run({ ...side, seconds: bench.seconds });
      const { p50, p99 } = measured.latency;
      const hasPromise = limit > 0 && (matches <= FEW || forMany);
      lines.push({
        work: `${noun} ${what}, ${matches.toLocaleString('en')} matches`,
        promise: hasPromise ? `p99 <= ${limit} ms` : '',
        measured: `p99 ${milliseconds(p99)}`,
        detail: `p50 ${milliseconds(p50)}, ${measured.answers} answers, ${measured.errors} errors`,
        verdict: hasPromise
          ? verdict(p99 <= limit && measured.answers > 0 && measured.errors === 0)
          : 'no promise',
      });
      latency.push({ label: `${noun} ${what}`, latency: measured.latency });
      cost.push({ series: `${noun}, by matches`, size: Math.max(1, matches), microseconds: p50 * 1000 });
    }
    return { lines, latency, cost };
  } finally {
    await stoa.stop();
  }
}

async function mostMatches(port: number, paths: readonly string[], token: string): Promise<number> {
  let most = 0;
  for (const path of paths) most = Math.max(most, (await ask(port, path, token)).total);
  return most;
}

/** Sends one request. Returns the milliseconds of the answer and the number of matches, 0 where it says none. */
export async function ask(port: number, path: string, token: string) {
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = (await response.json()) as { data: { total?: number } };
  if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}.`);
  return { took: performance.now() - start, total: data.total ?? 0 };
}
