// Needs: processes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { promisify } from 'node:util';

const PRIORITY = new URL('../../src/domain/priority.ts', import.meta.url).href;

/** The niceness and the policy of each thread of a process after this code, as Linux tells them (proc_pid_stat(5)). */
async function threadsAfter(code: string): Promise<string[]> {
  const program = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    import { comeForward, comeLast } from ${JSON.stringify(PRIORITY)};
    ${code}
    const threads = readdirSync('/proc/self/task').map((thread) => {
      const [, afterName] = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ');
      const fields = afterName.split(' ');
      return fields[16] + ' ' + fields[38];
    });
    console.log(threads.join());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  const threads = stdout.trim().split(',');
  assert.ok(threads.length > 4, stdout);
  return threads;
}

const policiesOf = (threads: readonly string[]) => [...new Set(threads.map((each) => each.split(' ')[1]))];

it('A process that comes last has the lowest niceness, and all its threads get idle time only', async () => {
  const threads = await threadsAfter('comeLast();');
  // SCHED_IDLE is 5 (sched(7)). Node.js has started its threads before, so only the first has the niceness.
  assert.equal(threads[0], '19 5');
  assert.deepEqual(policiesOf(threads), ['5']);
});

it('A process that came last comes forward again where the system lets it, and stays last elsewhere', async () => {
  const threads = await threadsAfter(`
    comeLast();
    // A thread that is started after that has its niceness.
    await readFile('/proc/self/stat');
    await new Promise((resolve) => comeForward(process.pid, resolve));`);
  // CAP_SYS_NICE is bit 23 (capabilities(7)). Root in a container may lack it.
  const [, capabilities] = /^CapEff:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const isLet = ((BigInt(`0x${capabilities}`) >> 23n) & 1n) === 1n;
  if (isLet) assert.deepEqual([...new Set(threads)], ['0 0']);
  else assert.deepEqual(policiesOf(threads), ['5']);
});
