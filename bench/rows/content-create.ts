import { againstBare } from '../against-bare.ts';
import { items } from '../datasets/items.ts';
import { post } from '../load/requests.ts';
import type { Bench, Row } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { takeSample } from '../servers/sample.ts';
import { startStoa } from '../servers/stoa.ts';

const PATH = '/api/content';
const PROMISES = [
  { connections: 64, atLeast: 0.5 },
  { connections: 16, atLeast: 0.35 },
];

function newItems(count: number) {
  return items(count, 1)
    .map(({ title, content, category, tags }) => ({ title, content, category, tags }))
    .toArray();
}

/** Beside 100,000 items that are there already; the search index is kept up in the background, as ever. */
export const contentCreate: Row = {
  name: 'content-create',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const lines = [];
    const latency = [];
    const dataset = bench.datasets.items;
    for (const { connections, atLeast } of PROMISES) {
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
        lines.push(result.line);
        latency.push(...result.latency);
      } finally {
        await stoa.stop();
      }
    }
    return { lines, latency };
  },
};
