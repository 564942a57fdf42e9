// Needs: processes.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { run } from '../support/command.ts';
import { type Lifetime, sqlite } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';

/** Loaded before the program: prints each file of it to standard error when it is loaded. */
const NAMING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (console.error('loaded', url), next(url, context)) });
`)}`;
/** Each route says who may call it. */
const isOfRoutes = (file: string) => /\baccess:"signed_in"/.test(readFileSync(file, 'utf8'));

/** The files of dist/ that a command loads, in all of its threads. */
async function loadedBy(t: Lifetime, ...args: string[]): Promise<string[]> {
  const { code, stderr } = await run(process.execPath, ['--import', NAMING, MAIN, ...args], {
    settings: await sqlite.settings(t),
  });
  assert.equal(code, 0, stderr);
  return [...stderr.matchAll(/^loaded file:\/\/(.*\/dist\/[^/]*\.js)$/gm)].map(([, file = '']) => file);
}

const isWriter = (file: string) => file.endsWith('/writer-thread.js');

for (const args of [['doctor'], ['audit'], ['content', 'export']])
  it(`\`stoa ${args.join(' ')}\`, which only reads, loads no route and starts no thread that writes to SQLite`, async (t) => {
    const loaded = await loadedBy(t, ...args);
    assert.ok(loaded.includes(MAIN));
    assert.deepEqual(loaded.filter(isOfRoutes), []);
    assert.deepEqual(loaded.filter(isWriter), []);
  });

it('The bundle has routes, and a command that writes starts the thread that writes to SQLite', async (t) => {
  assert.ok(globSync(join(dirname(MAIN), '*.js')).some(isOfRoutes));
  const loaded = await loadedBy(t, 'users', 'export', '-');
  assert.ok(loaded.some(isWriter), 'the trail says that somebody has all accounts');
});
