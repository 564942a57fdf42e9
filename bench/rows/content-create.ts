import { againstBare } from '../against-bare.ts';
import { items } from '../datasets/items.ts';
import { post } from '../load/requests.ts';
import { type Bench, type LatencyBars, type Line, milliseconds, type Row, verdict } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { takeSample } from '../servers/sample.ts';
import { startStoa } from '../servers/stoa.ts';

const PATH = '/api/content';
const PROMISES = [
  { connections: 64, atLeast: 0.3, tail: 5 },
  { connections: 16, atLeast: 0.25, tail: 8 },
];

function newItems(count: number) {
  return items(count, 1)
    .map(({ title, content, category, tags }) => ({ title, content, category, tags }))
    .toArray();
}

/** The p99 compared with the median. */
function tailOf({ latency: { p50, p99 } }: LatencyBars, atMost: number): Line {
  return {
    work: 'the slowest of a hundred compared with the middle one',
    promise: `p99 <= ${atMost} x the median`,
    measured: `${(p99 / p50).toFixed(1)} x`,
    detail: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
    verdict: verdict(p99 <= atMost * p50),
  };
}

/** Creations in a database of 100,000 items. The search index is filled in the background, as always. */
export const contentCreate: Row = {
  name: 'content-create',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const lines = [];
    const latency = [];
    const dataset = bench.datasets.items;
    for (const { connections, atLeast, tail } of PROMISES) {
      const stoa = await startStoa(await bench.target.prepare(dataset), bench);
      try {
        const tokens = (await signIn(stoa.port, dataset, connections)).map(({ token }) => token);
        const bodies = newItems(256);
        const result = await againstBare(bench, stoa, {
          work: `POST ${PATH}, 1 KB, on disk, ${connections} connections`,
          atLeast,
          sample: await takeSample(stoa.port, 'POST', PATH, {
            token: tokens[0] ?? '',
            body: bodies[0] ?? {},
          }),
          load: {
            connections,
            requests: bodies.map((body, index) => post(PATH, body, tokens[index % tokens.length])),
          },
        });
        lines.push(result.line, ...result.latency.slice(0, 1).map((own) => tailOf(own, tail)));
        latency.push(...result.latency);
      } finally {
        await stoa.stop();
      }
    }
    return { lines, latency };
  },
};
