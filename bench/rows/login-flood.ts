import { post } from '../load/requests.ts';
import type { Bench, Row } from '../row.ts';
import { credentials, signIn } from '../servers/accounts.ts';
import { startStoa } from '../servers/stoa.ts';
import { beginLoad, CALM_RATE, undisturbed } from '../undisturbed.ts';
import { readRequests } from './content-read.ts';

const CLIENTS = 64;
const AT_MOST = 3;
const PACES = [
  { pace: `${CALM_RATE.toLocaleString('en')} reads/s`, rate: { rate: CALM_RATE } },
  { pace: 'reads flat out', rate: {} },
];

/** Reads while 64 clients do nothing but log in, at a steady pace and at full speed. */
export const loginFlood: Row = {
  name: 'login-flood',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    const { port } = stoa;
    try {
      const tokens = (await signIn(port, dataset, CLIENTS)).map(({ token }) => token);
      const requests = readRequests(dataset.items, tokens);
      const logins = credentials(dataset, CLIENTS * 4).map((body) => post('/api/auth/login', body));
      const results = [];
      for (const { pace, rate } of PACES) {
        results.push(
          await undisturbed(bench, {
            work: `${pace} while ${CLIENTS} clients only log in`,
            atMost: AT_MOST,
            side: { port, connections: CLIENTS, requests, ...rate },
            begin: () => beginLoad(bench, { port, connections: CLIENTS, requests: logins }),
          }),
        );
      }
      return {
        lines: results.map(({ line }) => line),
        latency: results.flatMap(({ latency }) => latency),
      };
    } finally {
      await stoa.stop();
    }
  },
};
