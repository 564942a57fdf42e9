import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { stopwatch } from '../support/stopwatch.ts';

const BUSY_MS = 1_000;
const SPIN = `const end = performance.now() + ${BUSY_MS}; while (performance.now() < end);`;

it('A stopwatch of the tests leaves out most of the time in which the processors are overloaded', async () => {
  const workers = Array.from({ length: availableParallelism() + 2 }, () => new Worker(SPIN, { eval: true }));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('online', resolve))));
  const [began, elapsed] = [performance.now(), stopwatch()];
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
  const [took, counted] = [performance.now() - began, elapsed()];
  // Where the system does not count it, nothing is left out.
  if (existsSync('/proc/pressure/cpu')) assert.ok(counted < took / 2, `${counted} of ${took} ms`);
  else assert.ok(counted >= took);
});

it('A stopwatch of the tests counts no more time than has passed', async () => {
  const [began, elapsed] = [performance.now(), stopwatch()];
  await pause(50);
  assert.ok(elapsed() <= performance.now() - began + 1);
});
