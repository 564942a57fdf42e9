import type { Measured, Percentiles } from '../load/job.ts';
import { type Bench, median, medianPercentiles, milliseconds, perSecond, type Row, verdict } from '../row.ts';
import { signIn } from '../servers/accounts.ts';
import { type Backups, backUpRepeatedly } from '../servers/backups.ts';
import { startStoa } from '../servers/stoa.ts';
import { readRequests } from './content-read.ts';
import { creations } from './steady-writes.ts';

const RATE = 500;
const CLIENTS = 64;
/** With a backup, p99 is at most this many times the p99 without one. */
const AT_MOST = 1.5;
/** Longer than a backup on a quiet machine, so that all of its parts are measured: copying, reading, compressing. */
const SECONDS = 12;
const ROUNDS = 5;

/** The creations and the reads of one measurement. */
interface Both {
  readonly created: Measured;
  readonly read: Measured;
}

interface Pair {
  readonly beside: Both;
  readonly without: Both;
  readonly backups: Backups;
}

/** Creations and reads at a steady pace, with and without `stoa backup`, alternately. */
export const besideBackup: Row = {
  name: 'beside-backup',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const prepared = await bench.target.prepare(dataset);
    const stoa = await startStoa(prepared, bench);
    try {
      const { port } = stoa;
      const tokens = (await signIn(port, dataset, CLIENTS)).map(({ token }) => token);
      const [writes, reads] = [creations(tokens), readRequests(dataset.items, tokens)];
      const measure = async (seconds: number): Promise<Both> => {
        const job = { port, seconds, rate: RATE, connections: CLIENTS };
        const [created, read] = await Promise.all([
          bench.load.run({ ...job, requests: writes }),
          bench.background.run({ ...job, requests: reads }),
        ]);
        return { created, read };
      };
      const withBackups = async () => {
        const stop = backUpRepeatedly(prepared);
        const beside = await measure(SECONDS);
        return { beside, backups: await stop() };
      };
      await measure(bench.seconds);
      const pairs: Pair[] = [];
      for (let round = 0; round < (bench.rounds === 1 ? 1 : ROUNDS); round++) {
        // The side that begins alternates, because the database grows.
        const without = round % 2 === 0 ? await measure(SECONDS) : undefined;
        const measured = await withBackups();
        pairs.push({ ...measured, without: without ?? (await measure(SECONDS)) });
      }
      const results = [
        compared('POST /api/content', pairs, ({ created }) => created),
        compared('GET /api/content/{id}', pairs, ({ read }) => read),
      ];
      return {
        lines: results.map(({ line }) => line),
        latency: results.flatMap(({ latency }) => latency),
      };
    } finally {
      await stoa.stop();
    }
  },
};

function compared(path: string, pairs: readonly Pair[], of: (both: Both) => Measured) {
  const sides = pairs.map(({ beside, without }) => ({ beside: of(beside), without: of(without) }));
  const ratios = sides.map(({ beside, without }) => beside.latency.p99 / without.latency.p99);
  const ratio = median(ratios);
  const backups = pairs.flatMap(({ backups }) => backups.seconds);
  const errors = [
    ...sides.flatMap(({ beside, without }) => [beside.errors, without.errors]),
    ...pairs.map(({ backups }) => backups.errors),
  ].reduce((sum, each) => sum + each, 0);
  const beside: Percentiles = medianPercentiles(sides.map(({ beside }) => beside.latency));
  const without: Percentiles = medianPercentiles(sides.map(({ without }) => without.latency));
  const work = `${path}, ${RATE} a second, while "stoa backup" runs`;
  return {
    line: {
      work,
      promise: `p99 <= ${AT_MOST} x, no errors`,
      measured: `${ratio.toFixed(2)} x, ${errors} errors`,
      detail: [
        `p99 ${milliseconds(beside.p99)} against ${milliseconds(without.p99)}`,
        `longest ${milliseconds(beside.max)} against ${milliseconds(without.max)}`,
        `${perSecond(median(sides.map(({ beside }) => beside.rate)))}`,
        `ratios ${ratios.map((each) => each.toFixed(2)).join(', ')}`,
        backups.length > 0
          ? `${backups.length} backups of ${median(backups).toFixed(1)} s ended`
          : `no backup ended within ${SECONDS} s`,
      ].join('; '),
      verdict: verdict(ratio <= AT_MOST && errors === 0),
    },
    latency: [
      { label: work, latency: beside },
      { label: `${path} without a backup`, latency: without },
    ],
  };
}
