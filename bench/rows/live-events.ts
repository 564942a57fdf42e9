import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Percentiles } from '../load/job.ts';
import { post } from '../load/requests.ts';
import { type Bench, milliseconds, perSecond, type Row, verdict } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { startStoa } from '../servers/stoa.ts';
import { residentMegabytes } from '../servers/usage.ts';
import { readRequests } from './content-read.ts';

const MODULE = new URL('../load/listeners-process.ts', import.meta.url);
const ACCOUNTS = 500;
const STREAMS_OF_ACCOUNT = 10;
const LISTENERS = ACCOUNTS * STREAMS_OF_ACCOUNT;
const CHANGES = 100;
const CONNECTIONS = 4;
const READS = 200;
const SECONDS = 20;
/** The bound of promises on memory while people do their worst. */
const MEMORY_LIMIT = 512;
const SIGN_INS_AT_ONCE = 25;
/** What was changed last may be told this much later. */
const REST_MS = 5_000;
const SAMPLE_MS = 500;

interface Counted {
  readonly events: number;
  /** Streams that ended early. */
  readonly lost: number;
  /** Milliseconds from a change to a listener. */
  readonly delay: Percentiles;
}

/** As many listeners as one instance takes by default, and changes that all of them may see. */
export const liveEvents: Row = {
  name: 'live-events',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const stoa = await startStoa(await bench.target.prepare(dataset), bench);
    const listeners = fork(MODULE);
    const ended = once(listeners, 'exit').then(([code]) => {
      throw new Error(`The process of the listeners ended with ${code}.`);
    });
    ended.catch(() => {});
    const ask = async (message: object | string) => {
      listeners.send(message);
      const [answer] = await Promise.race([once(listeners, 'message'), ended]);
      return answer;
    };
    try {
      const { port, pid } = stoa;
      const tokens: string[] = [];
      for (let from = 0; from < ACCOUNTS; from += SIGN_INS_AT_ONCE)
        tokens.push(
          ...(await signIn(port, dataset, from + SIGN_INS_AT_ONCE, from)).map(({ token }) => token),
        );
      const before = residentMegabytes(pid);
      await ask({ port, tokens, each: STREAMS_OF_ACCOUNT });
      const quiet = residentMegabytes(pid);
      let most = quiet;
      const sampling = setInterval(() => {
        most = Math.max(most, residentMegabytes(pid));
      }, SAMPLE_MS);
      const own = tokens.slice(0, 64);
      const body = { title: 'News', content: 'What is new.' };
      const [created, read] = await Promise.all([
        bench.load.run({
          ...{ port, seconds: SECONDS, rate: CHANGES, connections: CONNECTIONS },
          requests: own.map((token) => post('/api/content', body, token)),
        }),
        bench.background.run({
          ...{ port, seconds: SECONDS, rate: READS, connections: 8 },
          requests: readRequests(dataset.items, own),
        }),
      ]);
      await pause(REST_MS);
      clearInterval(sampling);
      const { events, lost, delay }: Counted = await ask('count');
      await ask('close');
      const told = events / LISTENERS;
      // Changes that were answered after the end were told too.
      const isWhole =
        Number.isInteger(told) && told >= created.answers && told <= created.answers + CONNECTIONS;
      const errors = created.errors + read.errors + lost;
      const counts = `${told.toLocaleString('en')} events each of ${created.answers.toLocaleString('en')} changes`;
      return {
        lines: [
          {
            work: `${CHANGES} changes a second to ${LISTENERS.toLocaleString('en')} listeners for ${SECONDS} s`,
            promise: 'each is told once; no error',
            measured: `${counts}, ${errors} errors`,
            detail: [
              `told after p50 ${milliseconds(delay.p50)}, p99 ${milliseconds(delay.p99)}, longest ${milliseconds(delay.max)}`,
              `changes ${perSecond(created.rate)}, p99 ${milliseconds(created.latency.p99)}; reads p99 ${milliseconds(read.latency.p99)}`,
            ].join('; '),
            verdict: verdict(errors === 0 && isWhole && created.answers > 0),
          },
          {
            work: 'memory with these listeners',
            promise: `<= ${MEMORY_LIMIT} MB`,
            measured: `${most.toFixed(0)} MB at most`,
            detail: `${before.toFixed(0)} MB before, ${quiet.toFixed(0)} MB with listeners that hear nothing, ${(((quiet - before) * 1024) / LISTENERS).toFixed(1)} KB each`,
            verdict: verdict(most <= MEMORY_LIMIT),
          },
        ],
      };
    } finally {
      if (listeners.connected) listeners.disconnect();
      await stoa.stop();
    }
  },
};
