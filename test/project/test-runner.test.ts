// Needs: processes.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { lifetimeOfSuite } from '../support/engines.ts';
import { failuresIn, OWN_PROCESS, runTests } from '../support/test-run.ts';

const SKIPPING = "it('a', (t) => t.skip('no strace'));\nit('b', () => {});";

describe('A run of tests', { concurrency: 2 }, () => {
  it('A run is green when every test passed, and ends with the lines that CI reads', async (t) => {
    const passing = "describe('a', () => { it('b', () => {}); });\nit('c', () => {});";
    const { code, stdout } = await runTests(t, { passing });
    assert.match(
      stdout,
      /\nℹ tests 2\nℹ suites 2\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms \d[\d.]*\s*$/,
    );
    assert.equal(code, 0);
  });

  it('A run of a folder runs each test file in it', async (t) => {
    const texts = { one: "it('a', () => {});", two: "it('b', () => {});" };
    const { code, stdout } = await runTests(t, texts, { byFolder: true });
    assert.match(stdout, /\nℹ pass 2\n/);
    assert.equal(code, 0);
  });

  it('A fault is told of the test that it comes from, also where it comes from a timer or a promise', async (t) => {
    const faulty = [
      'const wait = (ms) => new Promise((end) => setTimeout(end, ms));',
      "const fail = () => { throw new Error('late'); };",
      "describe('all', { concurrency: true }, () => {",
      "  it('timer', async () => { setTimeout(fail, 20); await wait(200); });",
      "  it('promise', async () => { void wait(20).then(fail); await wait(200); });",
      "  it('sound', async (t) => { await wait(100); await t.test('part', () => wait(50)); });",
      '});',
      "it('past', () => { setTimeout(fail, 20); });",
      "it('last', () => wait(200));",
    ].join('\n');
    const { code, stdout } = await runTests(t, { faulty });
    const results = [
      ...(stdout.split('failing tests')[0] ?? '').matchAll(/([✔✖]) (timer|promise|sound|part|past|last) /g),
    ];
    const told = results.map(([, result, title]) => `${title} ${result}`).toSorted();
    assert.equal(told.join(', '), 'last ✔, part ✔, past ✔, promise ✖, sound ✔, timer ✖');
    assert.match(stdout, /Test "past" at .* generated asynchronous activity after the test ended/);
    assert.equal(code, 1);
  });

  it('A run is green when one file continues long after others ended', async (t) => {
    const long = `${OWN_PROCESS}for (let i = 0; i < 5; i++)\nit('a', () => new Promise((done) => setTimeout(done, 1000)));`;
    const { code, stdout } = await runTests(t, { quick: "it('a', () => {});", long });
    assert.match(stdout, /^ℹ pass 6$/m);
    assert.equal(code, 0);
  });

  it('A run on SQLite alone is green without a test that only PostgreSQL has', async (t) => {
    const text =
      "const engine = { name: 'SQLite' };\nit('a', () => {});\nif (engine.name === 'PostgreSQL')\nit('b', () => {});";
    const { code } = await runTests(t, { text }, { settings: { STOA_TEST_ENGINE: 'sqlite' } });
    assert.equal(code, 0);
  });

  it('A run in CI is red when a test was skipped or is to do, and says which and why', async (t) => {
    const texts = { skipping: `${OWN_PROCESS}${SKIPPING}`, later: `${OWN_PROCESS}it.todo('later');` };
    const { code, stdout } = await runTests(t, texts, { settings: { CI: 'true' } });
    assert.match(stdout, /CI does not allow: .*"a" \(no strace\)/);
    assert.match(stdout, /CI does not allow: .*"later" \(to do\)/);
    assert.deepEqual([code, failuresIn(stdout)], [1, 2]);
  });

  it('A run outside CI says which tests were skipped and why', async (t) => {
    const { code, stdout } = await runTests(t, { skipping: SKIPPING });
    assert.match(stdout, /Skipped: .*"a" \(no strace\)/);
    assert.equal(code, 0);
  });
});

/** Files that leave something behind, and what. */
const LEAVING = {
  timer: ["it('d', () => { setInterval(() => {}, 1000); });", 'Timeout, 1 of them'],
  mocked: ["it('e', () => { Date.now = () => 0; });", 'Date.now'],
  setting: ["it('f', () => { process.env.LEFT = '1'; });", 'process.env.LEFT'],
} as const;
const PRINT = 'console.log(process.pid);';

describe('Files that share a process', () => {
  const lifetime = lifetimeOfSuite();
  let stdout = '';
  before(async () => {
    const texts = Object.entries(LEAVING).map(([name, [text]]) => [name, text]);
    const done = await runTests(lifetime, {
      first: `it('a', () => { ${PRINT} });`,
      failing: `it('b', () => { ${PRINT} throw new Error('wrong'); });`,
      third: `it('c', () => { ${PRINT} });`,
      ...Object.fromEntries(texts),
      last: `it('g', () => { ${PRINT} });`,
    });
    assert.equal(done.code, 1);
    ({ stdout } = done);
  });

  it('Files that need nothing run in one process, and each failure has the name of its file', () => {
    const printed = stdout.match(/^\d+$/gm) ?? [];
    assert.deepEqual([printed.length, new Set(printed).size], [4, 1]);
    assert.match(stdout, /test at \S*failing\.test\.mts:2:1\n✖ b/);
  });

  it('A file that leaves something behind in its process fails by its name, and the others pass', () => {
    for (const [name, [, left]] of Object.entries(LEAVING))
      assert.match(stdout, new RegExp(`✖ \\S*${name}\\S* .*\\n.*leaves this behind.*\\n[^']*'${left}'`));
    assert.match(stdout, /^ℹ pass 6$/m);
  });

  it('A run is red when files share a process that dies, and says which file was under way and which did not begin', async (t) => {
    const later = 'new Promise(() => setTimeout(() => process.exit(1), 200))';
    const dying = `it('b', () => {});\nit('c', () => ${later});`;
    const { code, stdout } = await runTests(t, {
      first: "it('a', () => {});",
      dying,
      last: "it('d', () => {});",
    });
    assert.equal(code, 1);
    assert.match(stdout, /dying\.test\.mts: its process ended .*; without a result: line 3, 'c'$/m);
    assert.match(stdout, /last\.test\.mts: it did not begin, because its process had ended$/m);
    assert.doesNotMatch(stdout, /first\.test\.mts: /);
  });
});
