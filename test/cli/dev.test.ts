// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { type Lifetime, lifetimeOfSuite, onOneEngine } from '../support/engines.ts';
import { until } from '../support/until.ts';

const ROOT = new URL('../../', import.meta.url);

/** `node --watch` puts messages of its own into the channel of every thread that the service starts. */
onOneEngine(
  '`npm run dev`',
  (engine) => {
    const lifetime = lifetimeOfSuite();
    let service: Awaited<ReturnType<typeof startDev>>;
    before(async () => {
      service = await startDev(lifetime, await engine.settings(lifetime));
    });

    it('`npm run dev` lets the right password in and keeps the wrong one out, each time', async () => {
      const { username } = await newAccount(service.url);
      const statusOf = async (password: string) => {
        const body = { username, password };
        return (await call(service.url, 'POST', '/api/auth/login', { body })).status;
      };
      for (let round = 0; round < 2; round++) {
        assert.equal(await statusOf(PASSWORD), 200, `alone, round ${round}`);
        assert.equal(await statusOf('wrong password'), 401, `alone, round ${round}`);
      }
      // Several at once, so that every hashing thread has a part of them.
      const passwords = Array.from({ length: 6 }, (_, index) => (index % 2 ? PASSWORD : 'wrong password'));
      assert.deepEqual(
        await Promise.all(passwords.map(statusOf)),
        passwords.map((password) => (password === PASSWORD ? 200 : 401)),
      );
      await newAccount(service.url, newName('later'));
    });

    it('`npm run dev` shows each event and each request in one line for people, up to the last, and ends at Ctrl-C', async () => {
      await call(service.url, 'GET', '/api/content?keyword=private');
      assert.equal(await service.stop(), 0);
      const lines = service.stdout().trimEnd().split('\n');
      // On a busy machine the request or an operation may be slow, which is a line too.
      for (const each of lines)
        assert.match(
          each,
          /^\[\d\d:\d\d:\d\d\.\d{3}\] (DEBUG: |INFO: |WARN: slow (?:request|operation) )[a-z{]/,
        );
      assert.match(
        lines.join('\n'),
        /DEBUG: request \{"method":"GET","path":"\/api\/content","status":200,"ms":\d/,
      );
      assert.match(lines.at(-1) ?? '', /INFO: stopped$/);
      await assert.rejects(fetch(service.url), 'the service is still there');
    });
  },
  1,
);

/** What the script `dev` of package.json starts, in a process group of its own that ends with the test. */
async function startDev(t: Lifetime, settings: Record<string, string>) {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'));
  const [node, ...args] = scripts.dev.split(' ');
  assert.equal(node, 'node');
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(ROOT),
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = child.pid ?? assert.fail('The process did not start.');
  const exited = once(child, 'exit');
  // It ends the service first, which has a process group of its own.
  t.after(async () => {
    if (child.kill('SIGTERM')) await exited;
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const isUp = () => stderr.endsWith('\n\n') && stdout.includes(' listening ');
  await until(() => isUp() || child.exitCode !== null, 'the service listens or its process has ended');
  const url = /listening {2}(http:\S+)/.exec(stderr)?.[1] ?? assert.fail(stderr);
  return {
    url,
    stdout: () => stdout,
    /** Ends it as Ctrl-C does, which a terminal sends to the whole group, and resolves with the exit code. */
    stop: async () => {
      process.kill(-group, 'SIGINT');
      return (await exited)[0];
    },
  };
}
