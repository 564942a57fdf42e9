import { compare, measureAlone, type Side } from '../compare.ts';
import type { Dataset } from '../datasets/datasets.ts';
import { get } from '../load/requests.ts';
import { type Bench, type CostPoint, type Line, perSecond, type Row, verdict } from '../row.ts';
import { signInOne } from '../servers/accounts.ts';
import { type Server, startStoa } from '../servers/stoa.ts';

const CONNECTIONS = 64;
const PER_PAGE = 20;
const ACCOUNTS_LIMIT = 1.3;
const DEPTH_LIMIT = 3;

/** The cost of a page of users as the accounts and the page number grow, compared with the service itself. */
export const usersGrowth: Row = {
  name: 'users-growth',
  needs: ({ growing }) => growing,
  async run(bench: Bench) {
    const { growing, million } = bench.datasets;
    const large = await serve(bench, million);
    const cost: CostPoint[] = [];
    const lines: Line[] = [];
    try {
      for (const [index, dataset] of growing.slice(0, -1).entries()) {
        const smaller = await serve(bench, dataset);
        try {
          const once = index === 0 ? bench : { ...bench, rounds: 1 };
          const { ratio, first, second } = await compare(once, smaller.page(1), large.page(1));
          cost.push({
            series: 'page 1, by accounts',
            size: dataset.accounts,
            microseconds: 1e6 / first.rate,
          });
          if (index > 0) continue;
          cost.push({
            series: 'page 1, by accounts',
            size: million.accounts,
            microseconds: 1e6 / second.rate,
          });
          lines.push({
            work: `the same compared with its own cost at ${dataset.accounts.toLocaleString('en')} accounts`,
            promise: `<= ${ACCOUNTS_LIMIT} x`,
            measured: `${ratio.toFixed(2)} x`,
            detail: `${perSecond(second.rate)} against ${perSecond(first.rate)}`,
            verdict: verdict(ratio <= ACCOUNTS_LIMIT && first.errors + second.errors === 0),
          });
        } finally {
          await smaller.server.stop();
        }
      }
      const deepest = million.accounts / PER_PAGE;
      const { ratio, first, second } = await compare(bench, large.page(1), large.page(deepest));
      lines.push({
        work: `page ${deepest.toLocaleString('en')} compared with page 1`,
        promise: `<= ${DEPTH_LIMIT} x`,
        measured: `${ratio.toFixed(2)} x`,
        detail: `${perSecond(second.rate)} against ${perSecond(first.rate)}`,
        verdict: verdict(ratio <= DEPTH_LIMIT && first.errors + second.errors === 0),
      });
      for (const page of [1, deepest / 1000, deepest / 100, deepest / 10, deepest / 2, deepest]) {
        const { rate } = await measureAlone({ ...bench, rounds: 1, seconds: 1 }, large.page(page));
        cost.push({
          series: `${million.accounts.toLocaleString('en')} accounts, by rows before the page`,
          size: page * PER_PAGE,
          microseconds: 1e6 / rate,
        });
      }
      return { lines, cost };
    } finally {
      await large.server.stop();
    }
  },
};

interface Served {
  readonly server: Server;
  readonly page: (page: number) => Side;
}

async function serve(bench: Bench, dataset: Dataset): Promise<Served> {
  const server = await startStoa(await bench.target.prepare(dataset), bench);
  const { token } = await signInOne(server.port, dataset);
  return {
    server,
    page: (page) => ({
      port: server.port,
      connections: CONNECTIONS,
      requests: [get(`/api/users?page=${page}`, token)],
    }),
  };
}
