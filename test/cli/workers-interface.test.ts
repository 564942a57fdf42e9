// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { isSlowLine } from '../support/slow-line.ts';
import { workersOf } from '../support/workers.ts';

/** A thousand tests take minutes on a busy machine. The runner of these tests ends this file after ten. */
const LIMIT_MS = 560_000;
const INTERFACE = new URL('../interface/', import.meta.url).pathname;

// On PostgreSQL a worker is what an instance is, so the suite would find nothing there.
describe('The interface of a service with two workers', () => {
  it('The interface is the same with two workers on SQLite: its whole suite passes', async (t) => {
    const service = await startProcess(t, { DATA_DIR: await temporaryFolder(t), WORKERS: '2' });
    // In one process, because each of sixteen would load the same modules again.
    const flags = ['--test', '--test-isolation=none'];
    const { code, stdout } = await run(process.execPath, [...flags, `${INTERFACE}*.test.ts`], {
      // Generated requests take most of the time, and find nothing that fewer workers would not have.
      settings: { STOA_URL: service.url, STOA_TEST_RUNS: '2' },
      limitMs: LIMIT_MS,
    });
    // What the service has to say of its own matters first, such as a worker that ended.
    const faults = service
      .stdout()
      .split('\n')
      .filter((line) => /"level":[456]0/.test(line) && !isSlowLine(line));
    assert.equal(code, 0, [...faults.slice(0, 10), stdout.slice(-4_000)].join('\n'));
    assert.ok(Number(/^ℹ pass (\d+)$/m.exec(stdout)?.[1]) > 1_000, stdout.slice(-400));
    assert.deepEqual(workersOf(service).length, 2);
  });
});
