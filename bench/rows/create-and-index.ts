import { compare, type Side } from '../compare.ts';
import { type Bench, perSecond, type Row, verdict } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { dropIndexing } from '../servers/index-queue.ts';
import { type Server, startStoa } from '../servers/stoa.ts';
import { creations } from './steady-writes.ts';

const CONNECTIONS = 64;
const AT_LEAST = 0.8;

/** Creations of new texts at full speed, compared with a service whose triggers queue nothing for the index. */
export const createAndIndex: Row = {
  name: 'create-and-index',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const [indexed, plain] = [await bench.target.prepare(dataset), await bench.target.prepare(dataset)];
    await dropIndexing(plain);
    const [withIndex, without] = [await startStoa(indexed, bench), await startStoa(plain, bench)];
    try {
      const sideOf = async ({ port, pid }: Server): Promise<Side> => {
        const tokens = (await signIn(port, dataset, CONNECTIONS)).map(({ token }) => token);
        return { port, pid, connections: CONNECTIONS, requests: creations(tokens) };
      };
      const { ratio, first, second } = await compare(bench, await sideOf(withIndex), await sideOf(without));
      const errors = first.errors + second.errors;
      return {
        lines: [
          {
            work: 'POST /api/content, new texts, while the index of words has work',
            promise: `>= ${AT_LEAST.toFixed(2)} of without an index`,
            measured: ratio.toFixed(2),
            detail: [
              `${perSecond(first.rate)} against ${perSecond(second.rate)}`,
              `processor ${first.processor.toFixed(0)} against ${second.processor.toFixed(0)} µs an answer`,
              ...(errors ? [`${errors} errors`] : []),
            ].join('; '),
            verdict: verdict(ratio >= AT_LEAST && errors === 0),
          },
        ],
      };
    } finally {
      await Promise.all([withIndex.stop(), without.stop()]);
    }
  },
};
