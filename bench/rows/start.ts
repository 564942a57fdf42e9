import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { SERVE } from '../../test/support/main.ts';
import { Connection } from '../load/connection.ts';
import { get } from '../load/requests.ts';
import { type Bench, median, type Row, verdict } from '../row.ts';
import { residentMegabytes } from '../servers/usage.ts';

const START_LIMIT = 600;
const MEMORY_LIMIT = 120;
/** Memory is read when the start is over, and when V8 has given back its garbage: after half a minute without work. */
const STARTED_MS = 3_000;
const REST_MS = 45_000;

/** From the spawn of `stoa serve` with an empty database to its first 200, and its memory at rest. */
export const start: Row = {
  name: 'start',
  needs: () => [],
  async run(bench: Bench) {
    const starts = [];
    for (let index = 0; index < bench.rounds + 2; index++) starts.push(await startOnce(bench));
    const times = starts.map(({ ready }) => ready);
    const ready = median(times);
    const started = median(starts.map(({ megabytes }) => megabytes));
    const { megabytes: memory } = await startOnce(bench, REST_MS);
    return {
      lines: [
        {
          work: 'start with an empty data folder, to the first 200',
          promise: `<= ${START_LIMIT} ms`,
          measured: `${ready.toFixed(0)} ms`,
          detail: `${times.length} starts: ${times.map((time) => time.toFixed(0)).join(', ')} ms`,
          verdict: verdict(ready <= START_LIMIT),
        },
        {
          work: 'resident memory at rest',
          promise: `<= ${MEMORY_LIMIT} MB`,
          measured: `${memory.toFixed(0)} MB`,
          detail: `${REST_MS / 1000} s after the start; ${started.toFixed(0)} MB ${STARTED_MS / 1000} s after it`,
          verdict: verdict(memory <= MEMORY_LIMIT),
        },
      ],
    };
  },
};

async function startOnce(
  { target }: Bench,
  rest = STARTED_MS,
): Promise<{ ready: number; megabytes: number }> {
  const prepared = await target.prepareEmpty();
  const port = await freePort();
  const spawned = performance.now();
  const child = spawn(process.execPath, SERVE, {
    cwd: '/',
    env: { PATH: process.env.PATH, PORT: String(port), ...prepared.settings },
    stdio: 'ignore',
  });
  try {
    const ready = await firstAnswer(port, child);
    const took = ready - spawned;
    await new Promise((resolve) => setTimeout(resolve, rest));
    return { ready: took, megabytes: residentMegabytes(child.pid ?? 0) };
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await prepared.release();
  }
}

/** Asks every few milliseconds until the answer is 200. Returns the time of that answer. */
async function firstAnswer(port: number, child: { exitCode: number | null }): Promise<number> {
  while (child.exitCode === null) {
    const connection = await Connection.open(port).catch(() => undefined);
    const answer = await connection?.ask(get('/readyz'));
    const now = performance.now();
    connection?.close();
    if (answer?.status === 200) return now;
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  throw new Error('The service ended.');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
