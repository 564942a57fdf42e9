// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run } from '../support/command.ts';
import { ENGINES, postgres } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { releasedDatabase, releasedService, VERSIONS } from '../support/released-version.ts';
import { splitProxy } from '../support/split-proxy.ts';

const [BEFORE = ''] = VERSIONS.slice(-1);
const LIMIT_MS = 560_000;
/** Tests of the seven operations. The others of `interface` ask about HTTP and the document, so they store nothing. */
const OPERATIONS = ['register', 'login', 'refresh', 'users', 'users-keyword'];
const OF_CONTENT = ['content-create', 'content-change', 'content-list'];
const FILES = [...OPERATIONS, ...OF_CONTENT].map(
  (name) => new URL(`../interface/${name}.test.ts`, import.meta.url).pathname,
);
/** Rules of one field, which one instance applies by itself. */
const OF_ONE_INSTANCE = ['is refused', 'is accepted', 'characters is accepted', 'A user name has letters'];
/** What the version before answers in another way: mistakes that were mended since, and the most items of a page. */
const MENDED = [
  'A message about one character or item has the singular',
  'A mistake in a tag is reported at its index in the request',
  'A list begins with page 1 of 20 items, and has at most 100 on a page',
];
const SKIPPED = [...OF_ONE_INSTANCE, ...MENDED].map((title) => `--test-skip-pattern=/${title}/`);
/** Each of them next to one of the other half: what one instance writes, the other reads and writes. */
const ONE_HALF = /^(POST \/api\/auth\/(register|refresh)|GET \/api\/users|PUT |GET \/api\/content\/\d)/;

describe('Instances of two versions on one database', { skip: !ENGINES.includes(postgres) }, () => {
  it(`The seven operations are as promised where one half of the requests meets ${BEFORE} and the other half this version`, async (t) => {
    const { settings } = await releasedDatabase(t, postgres, BEFORE);
    const old = await startProcess(t, { ...settings, CONSOLE: 'off' }, await releasedService(t, BEFORE));
    const built = await startProcess(t, { ...settings, CONSOLE: 'off' });
    const passed = async (half: string, otherHalf: string) => {
      const STOA_URL = await splitProxy(t, (request) => (ONE_HALF.test(request) ? half : otherHalf));
      const { stdout } = await run(
        process.execPath,
        ['--test', '--test-isolation=none', ...SKIPPED, ...FILES],
        { settings: { STOA_URL }, limitMs: LIMIT_MS },
      );
      assert.match(stdout, /^ℹ fail 0$/m, stdout.slice(stdout.indexOf('failing tests')).slice(0, 4_000));
      return Number(/^ℹ pass (\d+)$/m.exec(stdout)?.[1]);
    };
    const counts = await Promise.all([passed(old.url, built.url), passed(built.url, old.url)]);
    assert.ok(
      counts.every((count) => count > 150),
      `${counts}`,
    );
  });
});
