// Needs: processes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const PRIORITY = new URL('../../src/domain/priority.ts', import.meta.url).href;
/** The niceness and the policy of each thread, as Linux tells them (proc_pid_stat(5)). */
const PROGRAM = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { comeLast } from ${JSON.stringify(PRIORITY)};
  comeLast();
  const threads = readdirSync('/proc/self/task').map((thread) => {
    const [, afterName] = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ');
    const fields = afterName.split(' ');
    return fields[16] + ' ' + fields[38];
  });
  console.log(threads.join());`;

it('A process that comes last has the lowest niceness, and all its threads get idle time only', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM]);
  const threads = stdout.trim().split(',');
  assert.ok(threads.length > 4, stdout);
  // SCHED_IDLE is 5 (sched(7)). Node.js has started its threads before, so only the first has the niceness.
  assert.equal(threads[0], '19 5');
  assert.deepEqual([...new Set(threads.map((each) => each.split(' ')[1]))], ['5']);
});
