import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { post } from '../load/requests.ts';
import { type Bench, median, medianPercentiles, perSecond, type Row, verdict } from '../row.ts';
import { credentials } from '../servers/accounts.ts';
import { startStoa } from '../servers/stoa.ts';

const CONNECTIONS = 64;
const AT_LEAST = 0.9;
/** A round lasts this many times longer, because a login takes tens of milliseconds, and few give no steady figure. */
const LONGER = 5 / 3;
const RAW = new URL('./argon2-thread.ts', import.meta.url);

/** Hashes a second of all cores without other work, with the parameters of the service. */
async function rawRate(milliseconds: number): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const worker = new Worker(RAW, { workerData: milliseconds });
      return new Promise<number>((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    }),
  );
  return counts.reduce((sum, rate) => sum + rate, 0);
}

export const login: Row = {
  name: 'login',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    try {
      const requests = credentials(dataset, CONNECTIONS * 4).map((body) => post('/api/auth/login', body));
      const job = { port: stoa.port, connections: CONNECTIONS, requests, seconds: bench.seconds * LONGER };
      await bench.load.run({ ...job, seconds: 1 });
      await rawRate(1_000);
      const rounds = [];
      for (let round = 0; round < bench.rounds; round++) {
        const raw = await rawRate(job.seconds * 1_000);
        rounds.push({ raw, logins: await bench.load.run(job) });
      }
      const ratio = median(rounds.map(({ raw, logins }) => logins.rate / raw));
      const errors = rounds.reduce((sum, { logins }) => sum + logins.errors, 0);
      const rates = [rounds.map(({ logins }) => logins.rate), rounds.map(({ raw }) => raw)].map(median);
      const latency = medianPercentiles(rounds.map(({ logins }) => logins.latency));
      const line = {
        work: `POST /api/auth/login, ${CONNECTIONS} connections`,
        promise: `>= ${AT_LEAST.toFixed(2)} of raw argon2id on all cores`,
        measured: ratio.toFixed(2),
        detail: `${rates.map(perSecond).join(' against ')}${errors ? `, ${errors} errors` : ''}`,
        verdict: verdict(ratio >= AT_LEAST && errors === 0),
      };
      return { lines: [line], latency: [{ label: line.work, latency }] };
    } finally {
      await stoa.stop();
    }
  },
};
