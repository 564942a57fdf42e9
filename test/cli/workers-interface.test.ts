// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run } from '../support/command.ts';
import { ENGINES } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { workersOf } from '../support/workers.ts';

const WORKERS = { WORKERS: '2', DATABASE_POOL: '10' };
const INTERFACE = new URL('../interface/', import.meta.url).pathname;
/** What the suite takes on a busy machine. */
const SUITE_LIMIT_MS = 280_000;

for (const engine of ENGINES)
  describe(`The interface of a service with two workers, on ${engine.name}`, () => {
    it('The interface is the same with two workers: its whole suite passes', async (t) => {
      const service = await startProcess(t, { ...(await engine.settings(t)), ...WORKERS });
      const { code, stdout } = await run(process.execPath, ['--test', `${INTERFACE}*.test.ts`], {
        // Generated requests take most of the time, and find nothing that fewer workers would not have.
        settings: { STOA_URL: service.url, STOA_TEST_RUNS: '4' },
        limit: SUITE_LIMIT_MS,
      });
      assert.equal(code, 0, stdout.slice(-4_000));
      assert.ok(Number(/^ℹ pass (\d+)$/m.exec(stdout)?.[1]) > 1_000, stdout.slice(-400));
      assert.deepEqual(workersOf(service).length, 2);
    });
  });
