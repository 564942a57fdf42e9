import { get } from '../load/requests.ts';
import { type Bench, type Row, verdict } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { startStoa } from '../servers/stoa.ts';
import { residentMegabytes } from '../servers/usage.ts';
import { CALM_RATE, undisturbed } from '../undisturbed.ts';
import { readRequests } from './content-read.ts';

const IDLE = 5_000;
const MEMORY_LIMIT = 150;
/** The p99 of other requests may be this many times the calm one, because of the noise of a shared machine. */
const UNMOVED = 1.5;

/** Keep-alive connections that have had one answer and are now idle. */
export const idleConnections: Row = {
  name: 'idle-connections',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    const { port } = stoa;
    try {
      const tokens = (await signIn(port, dataset, 64)).map(({ token }) => token);
      const requests = readRequests(dataset.items, tokens);
      // The first load grows the heap. That growth must not count for the connections.
      await bench.load.run({ port, connections: 64, requests, seconds: bench.seconds });
      const before = residentMegabytes(stoa.pid);
      const request = get('/livez');
      await bench.background.hold(port, IDLE, request);
      const cost = residentMegabytes(stoa.pid) - before;
      await bench.background.dropHeld();
      const others = await undisturbed(bench, {
        work: `${CALM_RATE.toLocaleString('en')} reads/s with ${IDLE.toLocaleString('en')} idle connections`,
        atMost: UNMOVED,
        side: { port, connections: 64, requests, rate: CALM_RATE },
        begin: async () => {
          await bench.background.hold(port, IDLE, request);
          return async () => {
            await bench.background.dropHeld();
            await new Promise((resolve) => setTimeout(resolve, 500));
            return 0;
          };
        },
      });
      const memory = {
        work: `memory of ${IDLE.toLocaleString('en')} idle keep-alive connections`,
        promise: `<= ${MEMORY_LIMIT} MB`,
        measured: `${cost.toFixed(0)} MB`,
        detail: `${((cost * 1024) / IDLE).toFixed(1)} KB each, above ${before.toFixed(0)} MB after load`,
        verdict: verdict(cost <= MEMORY_LIMIT),
      };
      return { lines: [memory, others.line], latency: others.latency };
    } finally {
      await stoa.stop();
    }
  },
};
