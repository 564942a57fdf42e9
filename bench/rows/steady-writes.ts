import { setTimeout as pause } from 'node:timers/promises';
import { NEW_TEXT, newTexts, wordsOfTexts } from '../datasets/new-texts.ts';
import { measureDiskSync } from '../load/disk-sync.ts';
import { Generator } from '../load/generator.ts';
import { CHAINED, percentiles } from '../load/job.ts';
import { get, post, postNothing } from '../load/requests.ts';
import { type Bench, type Line, milliseconds, perSecond, type Row, verdict } from '../row.ts';
import { ask } from '../searches.ts';
import { signIn } from '../servers/accounts.ts';
import { openIndexQueue } from '../servers/index-queue.ts';
import { startStoa } from '../servers/stoa.ts';
import { residentMegabytes } from '../servers/usage.ts';
import { readRequests } from './content-read.ts';

const PATH = '/api/content';
const RATE = 1_000;
const CREATE_P99 = 50;
const SEARCH_P99 = 100;
const FOUND_P99 = 1_000;
/** The most changes that may wait for the index at the end: a second of writes. */
const MOST_WAITING = RATE;
const CLIENTS = 64;
/** Requests a second in addition to the creations. */
const BESIDE = { reads: 200, lists: 20, searches: 20, refreshes: 10 };
/** New items a second that are searched for until they are found. */
const PROBES = 4;
const SAMPLE_MS = 1_000;
const DATA = new URL('../.data/', import.meta.url).pathname;

/** Creations of different texts at a steady pace for minutes, while others read, list, search and refresh. */
export const steadyWrites: Row = {
  name: 'steady-writes',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const dataset = bench.datasets.items;
    const prepared = await bench.target.prepare(dataset);
    const queue = await openIndexQueue(prepared);
    const stoa = await startStoa(prepared, bench);
    const [searching, refreshing] = [new Generator(), new Generator()];
    try {
      const { port } = stoa;
      const accounts = await signIn(port, dataset, CLIENTS);
      const tokens = accounts.map(({ token }) => token);
      const jobOf = (rate: number, connections: number, requests: readonly string[]) => ({
        ...{ port, seconds: bench.steadySeconds, rate, connections, requests },
      });
      const chain = (await signIn(port, dataset, 8)).map(({ refreshToken }) => refreshToken);
      const stopSync = await measureDiskSync(DATA);
      const waiting = sample(() => queue.length());
      const memory = sample(async () => residentMegabytes(stoa.pid));
      const probes = probe(port, tokens);
      const [created, read, searched, refreshed] = await Promise.all([
        bench.load.run(jobOf(RATE, CLIENTS, creations(tokens))),
        bench.background.run(jobOf(BESIDE.reads + BESIDE.lists, 8, readsAndLists(dataset.items, tokens))),
        searching.run(jobOf(BESIDE.searches, 4, searches(tokens))),
        refreshing.run({
          ...jobOf(
            BESIDE.refreshes,
            chain.length,
            chain.map(() => postNothing('/api/auth/refresh', CHAINED)),
          ),
          chain,
        }),
      ]);
      const lengths = await waiting();
      const { found, errors: unanswered } = await probes();
      const megabytes = await memory();
      const sync = await stopSync();
      const errors = created.errors + read.errors + searched.errors + refreshed.errors + unanswered;
      const minute = Math.min(60, Math.ceil(lengths.length / 3));
      const last = mean(lengths.slice(-minute));
      const disk = `fdatasync p50 ${milliseconds(sync.p50)}, p99 ${milliseconds(sync.p99)}`;
      const lines: Line[] = [
        {
          work: `${PATH}: ${RATE.toLocaleString('en')} new texts a second for ${lengthOf(bench.steadySeconds)}`,
          promise: `no error; p99 <= ${CREATE_P99} ms`,
          measured: `${errors} errors; p99 ${milliseconds(created.latency.p99)}`,
          detail: [
            `${perSecond(created.rate)}, p50 ${milliseconds(created.latency.p50)}, longest ${milliseconds(created.latency.max)}`,
            disk,
            `reads and lists p99 ${milliseconds(read.latency.p99)}, refreshes p99 ${milliseconds(refreshed.latency.p99)}`,
          ].join('; '),
          verdict: verdict(errors === 0 && created.rate >= 0.98 * RATE && created.latency.p99 <= CREATE_P99),
        },
        {
          work: 'searches by words meanwhile',
          promise: `p99 <= ${SEARCH_P99} ms`,
          measured: `p99 ${milliseconds(searched.latency.p99)}`,
          detail: `p50 ${milliseconds(searched.latency.p50)}, ${searched.answers} answers; ${disk}`,
          verdict: verdict(searched.latency.p99 <= SEARCH_P99 && searched.answers > 0),
        },
        {
          work: 'a new item is found by its words',
          promise: `99 of 100 within ${FOUND_P99} ms`,
          measured: `p99 ${milliseconds(found.p99)}`,
          detail: `p50 ${milliseconds(found.p50)}, longest ${milliseconds(found.max)}`,
          verdict: verdict(found.p99 <= FOUND_P99 && found.max > 0),
        },
        {
          work: 'changes that wait for the index of words',
          promise: `<= ${MOST_WAITING.toLocaleString('en')} at the end`,
          measured: count(last),
          detail: [
            `first ${minute} s ${count(mean(lengths.slice(0, minute)))}, last ${minute} s ${count(last)}, most ${count(Math.max(...lengths))}`,
            `memory ${count(mean(megabytes.slice(0, minute)))} MB at first, ${count(mean(megabytes.slice(-minute)))} MB at last`,
          ].join('; '),
          verdict: verdict(last <= MOST_WAITING),
        },
      ];
      const latency = [
        { label: `POST ${PATH}, ${RATE} a second`, latency: created.latency },
        { label: 'searches meanwhile', latency: searched.latency },
      ];
      return { lines, latency };
    } finally {
      await Promise.all([searching.close(), refreshing.close()]);
      await queue.close();
      await stoa.stop();
    }
  },
};

export function creations(tokens: readonly string[]): string[] {
  const body = { title: 'A new item', content: NEW_TEXT, category: 'category-1', tags: ['tag-1'] };
  return tokens.map((token) => post(PATH, body, token));
}

function readsAndLists(items: number, tokens: readonly string[]): string[] {
  const every = Math.round(BESIDE.reads / BESIDE.lists);
  return readRequests(items, tokens).flatMap((request, index) =>
    index % every === 0
      ? [get(`${PATH}?page=${1 + index}`, tokens[index % tokens.length]), request]
      : [request],
  );
}

/** Words that few of a hundred items have, pairs of them, and beginnings. */
function searches(tokens: readonly string[]): string[] {
  const words = wordsOfTexts().slice(2_000, 8_000);
  return Array.from({ length: 1_024 }, (_, index) => {
    const word = words[(index * 37) % words.length] ?? '';
    const other = words[(index * 53 + 11) % words.length] ?? '';
    const keyword = [word, `${other} ${word}`, word.slice(0, 6)][index % 3] ?? word;
    return get(`${PATH}?${new URLSearchParams({ keyword })}`, tokens[index % tokens.length]);
  });
}

/**
 * Creates items and searches for each until it is found. The returned function stops this, and returns the times and
 * the number of failures.
 */
function probe(port: number, tokens: readonly string[]) {
  const times: number[] = [];
  let errors = 0;
  let goesOn = true;
  const running = (async () => {
    let turn = 0;
    for (const { text, ownWord } of newTexts()) {
      if (!goesOn) return;
      const token = tokens[turn++ % tokens.length] ?? '';
      try {
        await create(port, token, text);
        times.push(await untilFound(port, token, ownWord));
      } catch {
        errors++;
      }
      await pause(1_000 / PROBES);
    }
  })();
  return async () => {
    goesOn = false;
    await running;
    return { found: percentiles(Float64Array.from(times)), errors };
  };
}

/** Milliseconds until the answer of the first search that finds the item. */
async function untilFound(port: number, token: string, word: string): Promise<number> {
  const start = performance.now();
  while ((await ask(port, `${PATH}?keyword=${word}`, token)).total === 0);
  return performance.now() - start;
}

async function create(port: number, token: string, content: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'A new item', content }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`POST ${PATH} answered ${response.status}.`);
}

/** Reads a number each second. The returned function stops this, and returns all numbers. */
function sample(read: () => Promise<number>): () => Promise<number[]> {
  const values: number[] = [];
  let goesOn = true;
  const running = (async () => {
    while (goesOn) {
      values.push(await read());
      await pause(SAMPLE_MS);
    }
  })();
  return async () => {
    goesOn = false;
    await running;
    return values;
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function lengthOf(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
}
