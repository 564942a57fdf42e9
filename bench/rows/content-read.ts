import { againstBare } from '../against-bare.ts';
import { get } from '../load/requests.ts';
import type { Bench, Row } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { takeSample } from '../servers/sample.ts';
import { startStoa } from '../servers/stoa.ts';

const CONNECTIONS = 64;
const REQUESTS = 1_024;

/** Requests for items from the whole dataset, by 64 signed-in accounts. */
export function readRequests(items: number, tokens: readonly string[]): string[] {
  return Array.from({ length: REQUESTS }, (_, index) => {
    const id = 1 + ((index * 7_919) % items);
    return get(`/api/content/${id}`, tokens[index % tokens.length]);
  });
}

export const contentRead: Row = {
  name: 'content-read',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    try {
      const tokens = (await signIn(stoa.port, dataset, CONNECTIONS)).map(({ token }) => token);
      const { line, latency } = await againstBare(bench, stoa, {
        work: 'GET /api/content/{id}, signed in, 1 KB',
        atLeast: 0.6,
        sample: await takeSample(stoa.port, 'GET', '/api/content/10', { token: tokens[0] ?? '' }),
        load: { connections: CONNECTIONS, requests: readRequests(dataset.items, tokens) },
      });
      return { lines: [line], latency };
    } finally {
      await stoa.stop();
    }
  },
};
