import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { listeningPort } from '../support/process.ts';

const ROOT = new URL('../../', import.meta.url);

/** `node --watch` puts messages of its own into the channel of every thread that the service starts. */
onEveryEngine('`npm run dev`', (engine) => {
  it('lets the right password in and keeps the wrong one out, each time, and leaves no process behind', async (t) => {
    const service = await startDev(t, await engine.settings(t));
    const { username } = await newAccount(service.url);
    const statusOf = async (password: string) => {
      const body = { username, password };
      return (await call(service.url, 'POST', '/api/auth/login', { body })).status;
    };
    for (let round = 0; round < 3; round++) {
      assert.equal(await statusOf(PASSWORD), 200, `alone, round ${round}`);
      assert.equal(await statusOf('wrong password'), 401, `alone, round ${round}`);
    }
    // Several at once, so that every hashing thread has a part of them.
    const passwords = Array.from({ length: 12 }, (_, index) => (index % 2 ? PASSWORD : 'wrong password'));
    assert.deepEqual(
      await Promise.all(passwords.map(statusOf)),
      passwords.map((password) => (password === PASSWORD ? 200 : 401)),
    );
    await newAccount(service.url, newName('later'));
    assert.equal(await service.stop(), 0);
    assert.throws(() => process.kill(-service.group, 0), { code: 'ESRCH' });
  });
});

/** What the script `dev` of package.json starts, in a process group of its own that ends with the test. */
async function startDev(t: TestContext, settings: Record<string, string>) {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'));
  const [node, ...args] = scripts.dev.split(' ');
  assert.deepEqual([node, args[0]], ['node', '--watch']);
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(ROOT),
    env: { PATH: process.env.PATH, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = child.pid ?? assert.fail('The process did not start.');
  t.after(() => {
    if (child.exitCode === null) process.kill(-group, 'SIGKILL');
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const port = await listeningPort(child, () => stderr);
  const exited = once(child, 'exit');
  return {
    url: `http://127.0.0.1:${port}`,
    group,
    /** Ends it as Ctrl-C does and resolves with the exit code. */
    stop: async () => {
      child.kill('SIGINT');
      return (await exited)[0];
    },
  };
}
