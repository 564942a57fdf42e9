// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

const MARK = 'bytes-to-follow-through-the-kernel';
const CALLS = 'write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync';

describe('Forced writes', () => {
  it('An acknowledged write is forced to the disk before the first byte of its answer', async (t) => {
    if (!(await isInstalled('strace'))) return t.skip('strace is not installed');
    const { url, child } = await startProcess(t, { DATA_DIR: await temporaryFolder(t) });
    const { token } = await newAccount(url);
    const trace = await traceCalls(t, child.pid, async () => {
      const { status } = await call(url, 'POST', '/api/content', {
        token,
        body: { title: 't', content: MARK },
      });
      assert.equal(status, 200);
    });

    const logged = trace.findIndex(
      (line) => /pwrite(64|v)\(\d+<[^>]*-wal>/.test(line) && line.includes(MARK),
    );
    const forced = logged + completedSync(trace.slice(logged));
    const answered = trace.findIndex((line) => /TCP/.test(line) && /"HTTP\/1\.1 200/.test(line));
    const shown = trace.map((line) => line.slice(0, 200)).join('\n');
    assert.ok(logged >= 0, `no write of the bytes into the log:\n${shown}`);
    assert.ok(forced > logged, `no fsync after it:\n${shown}`);
    assert.ok(answered > forced, `the answer left before the fsync was done:\n${shown}`);
  });
});

/** Where the first sync of the log was done; another thread's call may stand between its two halves. */
function completedSync(lines: readonly string[]): number {
  const begun = lines.findIndex((line) => /f(data)?sync\(\d+<[^>]*-wal>/.test(line));
  const line = lines[begun] ?? '';
  if (line.endsWith(' = 0')) return begun;
  const thread = line.split(' ')[0];
  return lines.findIndex(
    (each, index) => index > begun && each.startsWith(`${thread} `) && /sync resumed>.* = 0$/.test(each),
  );
}

/** The system calls of all threads of the process while the work is done, one a line, in their order. */
async function traceCalls(
  t: TestContext,
  pid: number | undefined,
  work: () => Promise<void>,
): Promise<string[]> {
  const file = join(await temporaryFolder(t), 'trace');
  const args = ['-f', '-yy', '-s', '8192', '-e', `trace=${CALLS}`, '-o', file, '-p', String(pid)];
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => tracer.kill('SIGKILL'));
  // It says "attached" once it has all threads that the process has now.
  const [words]: Buffer[] = await once(tracer.stderr, 'data');
  assert.match(String(words), /attached/);
  await work();
  const ended = once(tracer, 'exit');
  tracer.kill('SIGINT');
  await ended;
  return (await readFile(file, 'latin1')).split('\n');
}

async function isInstalled(command: string): Promise<boolean> {
  return (await run('sh', ['-c', `command -v ${command}`])).code === 0;
}
