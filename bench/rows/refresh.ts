import { againstBare } from '../against-bare.ts';
import { CHAINED } from '../load/job.ts';
import { postNothing } from '../load/requests.ts';
import type { Bench, Row } from '../row.ts';
import { signIn, signInOne } from '../servers/accounts.ts';
import { takeSample } from '../servers/sample.ts';
import { startStoa } from '../servers/stoa.ts';

const PATH = '/api/auth/refresh';
const CONNECTIONS = 64;

/** Each connection is a client that repeatedly exchanges its refresh token for the next. */
export const refresh: Row = {
  name: 'refresh',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    try {
      const { refreshToken } = await signInOne(stoa.port, dataset);
      const chain = (await signIn(stoa.port, dataset, CONNECTIONS)).map((each) => each.refreshToken);
      const { line, latency } = await againstBare(bench, stoa, {
        work: `POST ${PATH}, on disk`,
        atLeast: 0.18,
        sample: await takeSample(stoa.port, 'POST', PATH, { token: refreshToken }),
        load: { connections: CONNECTIONS, requests: chain.map(() => postNothing(PATH, CHAINED)), chain },
      });
      return { lines: [line], latency };
    } finally {
      await stoa.stop();
    }
  },
};
