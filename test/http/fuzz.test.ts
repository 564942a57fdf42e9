// Needs: processes.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { call } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { newCallers } from '../support/fuzz/callers.ts';
import { Fuzzer, SHOT } from '../support/fuzz/fuzzer.ts';
import { restingMemory } from '../support/memory.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { randomSeed } from '../support/random-runs.ts';

/** `npm run test:fuzz` has 50,000 on each engine. */
const REQUESTS = Number(process.env.STOA_TEST_RUNS ?? 500);
const AT_ONCE = 16;
/** V8 looks for what it can give back when it had nothing to do for 8 s. */
const REST_MS = 12_000;
/** From here on a run is long enough to tell what stays in memory from what caches take until they are full. */
const LONG = 10_000;

onEveryEngine('Random requests from openapi.json and against all rules of HTTP', (engine) => {
  it(`The document describes each answer to ${REQUESTS} random requests, and the process lives on`, async (t) => {
    const settings = { ...(await engine.settings(t)), SMTP_URL: 'log' };
    const service = await startProcess(t, settings);
    const fuzzer = new Fuzzer(service.url, await newCallers(service.url, settings));
    const seed = randomSeed(t);

    const isLong = REQUESTS >= LONG;
    await fuzz(service, fuzzer, { seed, until: isLong ? REQUESTS / 2 : REQUESTS });
    if (isLong) {
      const warm = await restingMemory(service.child.pid, REST_MS);
      await fuzz(service, fuzzer, { seed: seed + 1, until: REQUESTS });
      const after = await restingMemory(service.child.pid, REST_MS);
      t.diagnostic(
        `resident: ${mib(warm)} after ${REQUESTS / 2} requests, ${mib(after)} after ${fuzzer.sent}`,
      );
      assert.ok(after <= warm * 1.2, `resident: ${mib(after)}, after ${mib(warm)} with half of the requests`);
      assert.deepEqual(fuzzer.notReached, [], 'answers that no request reached');
    }
    tell(t, fuzzer);
    const { 200: served = 0 } = fuzzer.byStatus;
    assert.ok(served > fuzzer.sent / 20, `only ${served} of ${fuzzer.sent} requests were answered with 200`);
    assert.equal(await service.stop('SIGTERM'), 0, service.stderr());
  });
});

/** Sends random requests, sixteen connections at a time, until there were so many. */
async function fuzz(
  { url, child }: ServiceProcess,
  fuzzer: Fuzzer,
  { seed, until }: { readonly seed: number; readonly until: number },
): Promise<void> {
  const volley = fc.array(SHOT, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(volley, async (shots) => {
    await Promise.all(shots.map((shot) => fuzzer.send(shot)));
    assert.equal(child.exitCode, null, 'The process ended.');
    assert.equal((await call(url, 'GET', '/livez')).status, 200);
  });
  const numRuns = Math.ceil((until - fuzzer.sent) / AT_ONCE);
  // The message has the bytes; to make them shorter would take a thousand more requests.
  const details = await fc.check(property, { seed, numRuns, endOnFailure: true });
  if (details.failed)
    throw new Error(`STOA_TEST_SEED=${seed}\n${details.errorInstance}`, { cause: details.errorInstance });
}

function tell(t: TestContext, { sent, byStatus }: Fuzzer): void {
  const counts = Object.entries(byStatus).map(([status, count]) => `${count} x ${status}`);
  t.diagnostic(`${sent} requests: ${counts.join(', ')}`);
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
