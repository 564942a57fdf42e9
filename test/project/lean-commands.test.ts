// Needs: processes.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { run } from '../support/command.ts';
import { ENGINES, sqlite } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';

/** Loaded before the program: prints each file of it to standard error when it is loaded. */
const NAMING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (console.error('loaded', url), next(url, context)) });
`)}`;
/** Each route says who may call it. */
const isOfRoutes = (file: string | URL) => /\baccess:"signed_in"/.test(readFileSync(file, 'utf8'));

it('A command loads no route: only the service needs routes, which take a fifth of the time of a short command', async (t) => {
  assert.ok(globSync(new URL('*.js', new URL('.', `file://${MAIN}`)).pathname).some(isOfRoutes));
  for (const args of [['doctor'], ['content', 'export'], ['users', 'export', '-']]) {
    const settings = await (ENGINES[0] ?? sqlite).settings(t);
    const { code, stderr } = await run(process.execPath, ['--import', NAMING, MAIN, ...args], { settings });
    assert.equal(code, 0, stderr);
    const loaded = [...stderr.matchAll(/^loaded (file:.*\/dist\/[^/]*\.js)$/gm)].map(([, url = '']) => url);
    assert.ok(loaded.length > 3, stderr);
    assert.deepEqual(
      loaded.filter((url) => isOfRoutes(new URL(url))),
      [],
      args.join(' '),
    );
  }
});
