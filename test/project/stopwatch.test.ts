import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { raise } from '../support/flag.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

const BUSY_MS = 1_000;
/** Spins once the flag is raised, which the test does when all workers wait for it. */
const SPIN = `
  const { workerData: flag } = require('node:worker_threads');
  Atomics.add(flag, 1, 1);
  Atomics.wait(flag, 0, 0);
  const end = performance.now() + ${BUSY_MS};
  while (performance.now() < end);`;

it('A stopwatch of the tests leaves out most of the time in which the processors are overloaded', async () => {
  const flag = new Int32Array(new SharedArrayBuffer(8));
  const count = availableParallelism() + 2;
  const exits = Array.from({ length: count }, () =>
    once(new Worker(SPIN, { eval: true, workerData: flag }), 'exit'),
  );
  await until(() => Atomics.load(flag, 1) === count, 'all workers wait for the flag');
  const [began, elapsed] = [performance.now(), stopwatch()];
  raise(flag);
  await Promise.all(exits);
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
