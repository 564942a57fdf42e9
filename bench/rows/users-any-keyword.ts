import { get } from '../load/requests.ts';
import { type Bench, milliseconds, type Row, verdict } from '../row.ts';
import { ask } from '../searches.ts';
import { signInOne } from '../servers/accounts.ts';
import { startStoa } from '../servers/stoa.ts';
import { beginLoad, CALM_RATE, undisturbed } from '../undisturbed.ts';

const ONCE_LIMIT = 250;
/** The p99 of other requests may be this many times the calm one. */
const UNMOVED = 2;
const KEYWORDS = ['a', 'e', 'z', '1', '.', '@', 'an', 'é', 'ann', 'mail', 'example', '.test', 'a.', 'le'];

const path = (keyword: string) => `/api/users?keyword=${encodeURIComponent(keyword)}`;

/**
 * Searches once for keywords of every kind, in a service that has just started. Then it measures what such searches do
 * to others.
 */
export const usersAnyKeyword: Row = {
  name: 'users-any-keyword',
  needs: ({ million }) => [million],
  async run(bench: Bench) {
    const dataset = bench.datasets.million;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    const { port } = stoa;
    try {
      const { token } = await signInOne(port, dataset);
      const once: { keyword: string; took: number; total: number }[] = [];
      for (const keyword of KEYWORDS) once.push({ keyword, ...(await ask(port, path(keyword), token)) });
      const slowest = once.toSorted((a, b) => b.took - a.took);
      const most = slowest[0]?.took ?? 0;
      const describe = ({ keyword, took, total }: (typeof once)[number]) =>
        `"${keyword}" ${milliseconds(took)} (${total.toLocaleString('en')})`;
      const first = {
        work: `GET /api/users?keyword=, any keyword, once (${KEYWORDS.length} kinds)`,
        promise: `<= ${ONCE_LIMIT} ms`,
        measured: milliseconds(most),
        detail: slowest.slice(0, 4).map(describe).join(', '),
        verdict: verdict(most <= ONCE_LIMIT),
      };
      const searches = KEYWORDS.map((keyword) => get(path(keyword), token));
      const others = await undisturbed(bench, {
        work: `${CALM_RATE.toLocaleString('en')} other reads/s while one client repeats such searches`,
        atMost: UNMOVED,
        side: { port, connections: 64, requests: [get('/api/users/me', token)], rate: CALM_RATE },
        begin: () => beginLoad(bench, { port, connections: 1, requests: searches }),
      });
      return { lines: [first, others.line], latency: others.latency };
    } finally {
      await stoa.stop();
    }
  },
};
