// Needs: processes.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { lifetimeOfSuite } from '../support/engines.ts';
import { failuresIn, OWN_PROCESS, runTests } from '../support/test-run.ts';

/** Files that lose tests, each for a reason of its own. Their third line is the first of these texts. */
const LOSING = {
  exitsInTest: "it('a', () => {});\nit('b', async () => process.exit(0));\nit('c', () => {});",
  exitsBefore: "process.exit(0);\nit('a', () => {});",
  exitsAfter: "after(() => process.exit(0));\nit('a', () => {});",
  hasEmptySuite:
    "const NONE: string[] = [];\nconst add = it;\ndescribe('s', () => { for (const each of NONE) add(each, () => {}); });\nit('b', () => {});",
  hasPostgres:
    "const engine = { name: 'SQLite' };\nit('a', () => {});\nif (engine.name === 'PostgreSQL')\nit('b', () => {});",
  isEmpty: '',
  isBroken: 'throw new Error("broken");',
};
/** Files that would never end by themselves. */
const ENDLESS = {
  waitsInTest:
    "describe('s', { concurrency: true }, () => {\nit('test', () => new Promise(() => {}));\nit('b', () => {}); });",
  waitsInHook: "describe('s', () => {\nit('hook', (t) => t.after(() => new Promise(() => {}))); });",
  loops: "it('loop', async () => { for (;;) await new Promise((next) => setTimeout(next, 20)); });",
  isStuck: "it('a', () => { setInterval(() => {}, 1000); });",
};
/** What a run takes of a test or a process that is ended for it. */
const SHORT_MS = 2_000;

describe('A run of one file', { concurrency: 2 }, () => {
  it('A run is red when a test fails', async (t) => {
    const { code, stdout } = await runTests(t, { failing: "it('a', () => { throw new Error('wrong'); });" });
    assert.match(stdout, /✖ a/);
    assert.deepEqual([code, failuresIn(stdout)], [1, 1]);
  });

  it('A run is red when a test of a file was left out', async (t) => {
    const leaving = "it('a', () => {});\nif (process.env.NOBODY_SETS_THIS)\nit('b', () => {});";
    const { code, stdout } = await runTests(t, { leaving });
    assert.match(stdout, told('leaving', "not all of its tests ran; without a result: line 4, 'b'"));
    assert.deepEqual([code, failuresIn(stdout)], [1, 1]);
  });
});

// One run of all, because each run starts two processes more than its files.
describe('A run of files that lose tests', () => {
  const lifetime = lifetimeOfSuite();
  let stdout = '';
  before(async () => {
    const texts = Object.entries(LOSING).map(([name, text]) => [name, `${OWN_PROCESS}${text}`]);
    ({ stdout } = await runTests(lifetime, Object.fromEntries(texts)));
  });

  it('A run is red when a process exits with 0 in the middle of a test', () =>
    assert.match(
      stdout,
      told('exitsInTest', "its process ended .*; without a result:.* line 4, 'b'; line 5, 'c'"),
    ));

  it('A run is red when a process exits with 0 before its first test', () =>
    assert.match(stdout, told('exitsBefore', "its process ended .*; without a result: line 4, 'a'")));

  it('A run is red when a process exits with 0 between its last test and its end', () =>
    assert.match(stdout, told('exitsAfter', 'its process ended before its tests were done')));

  it('A run is red when a suite has lost all of its tests', () =>
    assert.match(stdout, told('hasEmptySuite', 'it has a suite without a test: "s"')));

  it('A run on both engines is red without a test that only PostgreSQL has', () =>
    assert.match(stdout, told('hasPostgres', "not all of its tests ran; without a result: line 6, 'b'")));

  it('A run is red when a file contains no test', () =>
    assert.match(stdout, told('isEmpty', 'it contains no test')));

  it('A run is red when a file cannot be loaded', () => {
    assert.match(stdout, /✖ \S*isBroken\.test\.mts/);
    assert.match(stdout, /Error: broken/);
  });

  it('A run counts one failure for each file that has lost tests', () =>
    assert.equal(failuresIn(stdout), Object.keys(LOSING).length));
});

describe('A run of files that do not end', () => {
  const lifetime = lifetimeOfSuite();
  let stdout = '';
  before(async () => {
    const texts = Object.entries(ENDLESS).map(([name, text]) => [name, `${OWN_PROCESS}${text}`]);
    ({ stdout } = await runTests(lifetime, Object.fromEntries(texts), { limitMs: SHORT_MS }));
  });

  it('A run is red when a test waits and nothing is left that it could wait for', () =>
    assert.match(stdout, /✖ test /));

  it('A run is red when a hook waits and nothing is left that it could wait for', () =>
    assert.match(stdout, /✖ (hook|s) /));

  it('A run is red when a test does not end', () =>
    assert.match(stdout, /✖ loop .*\n {2}'test timed out after 2000ms'/));

  it('A run is red when a process does not end after its tests', () => {
    assert.match(stdout, /something keeps its process alive/);
    assert.match(stdout, /✖ \S*isStuck\.test\.mts/);
  });

  it('A run counts a failure for each file that does not end', () =>
    // What loops may keep its process alive too.
    assert.ok(failuresIn(stdout) >= Object.keys(ENDLESS).length));
});

/** What a run says of a file that has lost tests. */
function told(name: string, problem: string): RegExp {
  return new RegExp(`^✖ \\S*${name}\\.test\\.mts: ${problem}`, 'm');
}
