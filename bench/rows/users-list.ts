import { againstBare } from '../against-bare.ts';
import { get } from '../load/requests.ts';
import type { Bench, Row } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { takeSample } from '../servers/sample.ts';
import { startStoa } from '../servers/stoa.ts';

const CONNECTIONS = 64;

export const usersList: Row = {
  name: 'users-list',
  needs: ({ million }) => [million],
  async run(bench: Bench) {
    const dataset = bench.datasets.million;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    try {
      const tokens = (await signIn(stoa.port, dataset, CONNECTIONS)).map(({ token }) => token);
      const { line, latency } = await againstBare(bench, stoa, {
        work: `GET /api/users, page 1 of 20, ${dataset.accounts.toLocaleString('en')} accounts`,
        atLeast: 0.45,
        sample: await takeSample(stoa.port, 'GET', '/api/users', { token: tokens[0] ?? '' }),
        load: { connections: CONNECTIONS, requests: tokens.map((token) => get('/api/users', token)) },
      });
      return { lines: [line], latency };
    } finally {
      await stoa.stop();
    }
  },
};
