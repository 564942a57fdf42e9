// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../support/engines.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

it('`npm run test:server` serves all test files of its checkout until Ctrl-C, and leaves nothing', async (t) => {
  const checkout = await newCheckout(t);
  assert.equal(await evaluate(checkout, 'await findServer()'), 'undefined');

  const server = start(t, checkout);
  const [said] = await once(server.stdout, 'data');
  const [url = ''] = /postgres:\/\/\S+/.exec(String(said)) ?? [];
  assert.equal(await evaluate(checkout, 'await findServer()'), url);
  assert.deepEqual(await once(start(t, checkout), 'exit'), [1, null], 'a second one is refused');

  // npm passes Ctrl-C on to a script that got it from the terminal already.
  server.kill('SIGINT');
  await sleep(10);
  server.kill('SIGINT');
  assert.deepEqual(await once(server, 'exit'), [0, null]);
  assert.equal(await evaluate(checkout, 'await findServer()'), 'undefined');

  // What a server leaves behind that was killed.
  await evaluate(checkout, `await announceServer('${url}')`);
  assert.equal(await evaluate(checkout, 'await findServer()'), 'undefined');
});

/** The sources with the packages of this checkout, and a folder of its own for what a server says of itself. */
async function newCheckout(t: TestContext): Promise<string> {
  const checkout = await temporaryFolder(t);
  for (const name of ['scripts', 'src', 'test', 'package.json']) {
    await cp(join(ROOT, name), join(checkout, name), { recursive: true });
  }
  await mkdir(join(checkout, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name === '.cache') continue;
    await symlink(join(ROOT, 'node_modules', name), join(checkout, 'node_modules', name));
  }
  return checkout;
}

function start(t: TestContext, checkout: string) {
  const server = spawn(process.execPath, [join(checkout, 'scripts/test-server.ts')], { env: ENV });
  t.after(() => server.kill('SIGTERM'));
  return server;
}

/** What an expression is in a process of the checkout. */
async function evaluate(checkout: string, expression: string): Promise<string> {
  const script = `import { announceServer, findServer } from '${checkout}/test/support/shared-server.ts';
    process.stdout.write(String(${expression}));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env: ENV });
  const said = await child.stdout.toArray();
  return Buffer.concat(said).toString();
}

/** Without the server of this run. */
const { STOA_TEST_POSTGRES: _, ...ENV } = process.env;
