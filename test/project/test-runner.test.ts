// Needs: processes.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';

const RUNNER = new URL('../../scripts/test.ts', import.meta.url).pathname;
const IMPORTS = "import { after, before, describe, it } from 'node:test';";

/** Longer than a run takes where the machine is busy, and what a run takes that is ended for it. */
const [LONG_MS, SHORT_MS] = [20_000, 2_000];

/** Runs one test file that has this text, as `npm test` runs those of the project. */
function runFile(t: TestContext, text: string, settings: Record<string, string> = {}, limitMs = LONG_MS) {
  return runAll(t, [text], settings, limitMs);
}

async function runAll(
  t: TestContext,
  texts: readonly string[],
  settings: Record<string, string> = {},
  limitMs = LONG_MS,
) {
  const folder = await temporaryFolder(t);
  const files = texts.map((_, index) => join(folder, `sample${index}.test.mts`));
  for (const [index, file] of files.entries()) await writeFile(file, withImports(texts[index] ?? ''));
  const { code, stdout } = await run(process.execPath, [RUNNER, `--test-timeout=${limitMs}`, ...files], {
    // No server is needed, so none is started.
    settings: { STOA_TEST_POSTGRES: 'none', STOA_TEST_PATIENCE: `${limitMs}`, ...settings },
  });
  return { code, stdout };
}

/** The test begins in its second line: the first is what it needs, where it says so. */
function withImports(text: string): string {
  const [, needs = '', rest = ''] = /^(\/\/ Needs: [^\n]*\n)?(.*)$/s.exec(text) ?? [];
  return `${needs}${IMPORTS}\n${rest}`;
}

async function assertRed(
  t: TestContext,
  text: string,
  reason: RegExp,
  settings = {},
  limitMs = LONG_MS,
): Promise<void> {
  const { code, stdout } = await runFile(t, text, settings, limitMs);
  assert.match(stdout, reason);
  assert.match(stdout, /^ℹ (fail|cancelled) [1-9]/m);
  assert.equal(code, 1);
}

describe('A run of tests', { concurrency: 2 }, () => {
  it('A run is green when every test passed, and ends with the lines that CI reads', async (t) => {
    const { code, stdout } = await runFile(
      t,
      "describe('a', () => { it('b', () => {}); });\nit('c', () => {});",
    );
    assert.match(
      stdout,
      /\nℹ tests 2\nℹ suites 2\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms \d[\d.]*\s*$/,
    );
    assert.equal(code, 0);
  });

  it('A run is red when a test fails', (t) =>
    assertRed(t, "it('a', () => { throw new Error('wrong'); });", /✖ a/));

  it('A fault is told of the test that it comes from, also where it comes from a timer or a promise', async (t) => {
    const { code, stdout } = await runFile(
      t,
      [
        'const wait = (ms) => new Promise((end) => setTimeout(end, ms));',
        "const fail = () => { throw new Error('late'); };",
        "describe('all', { concurrency: true }, () => {",
        "  it('timer', async () => { setTimeout(fail, 20); await wait(200); });",
        "  it('promise', async () => { void wait(20).then(fail); await wait(200); });",
        "  it('sound', async (t) => { await wait(100); await t.test('part', () => wait(50)); });",
        '});',
        "it('past', () => { setTimeout(fail, 20); });",
        "it('last', () => wait(200));",
      ].join('\n'),
    );
    const results = [
      ...(stdout.split('failing tests')[0] ?? '').matchAll(/([✔✖]) (timer|promise|sound|part|past|last) /g),
    ];
    const told = results.map(([, result, title]) => `${title} ${result}`).toSorted();
    assert.equal(told.join(', '), 'last ✔, part ✔, past ✔, promise ✖, sound ✔, timer ✖');
    assert.match(stdout, /Test "past" at .* generated asynchronous activity after the test ended/);
    assert.equal(code, 1);
  });

  it('A run is red when a process exits with 0 in the middle of a test', (t) =>
    assertRed(
      t,
      "it('a', () => {});\nit('b', async () => process.exit(0));\nit('c', () => {});",
      /its process ended before its tests were done; without a result:.* line 3, 'b'; line 4, 'c'/,
    ));

  it('A run is red when a process exits with 0 before its first test', (t) =>
    assertRed(t, "process.exit(0);\nit('a', () => {});", /ended before its tests were done.*line 3, 'a'/));

  it('A run is red when a process exits with 0 between its last test and its end', (t) =>
    assertRed(t, "after(() => process.exit(0));\nit('a', () => {});", /ended before its tests were done/));

  it('A run is red when a test waits and nothing is left that it could wait for', (t) =>
    assertRed(
      t,
      "describe('s', { concurrency: true }, () => {\nit('a', () => new Promise(() => {}));\nit('b', () => {}); });",
      /✖ a/,
    ));

  it('A run is red when a hook waits and nothing is left that it could wait for', (t) =>
    assertRed(
      t,
      "describe('s', () => {\nit('a', (t) => t.after(() => new Promise(() => {}))); });",
      /✖ (a|s)/,
    ));

  it('A run is red when a test does not end', (t) =>
    assertRed(
      t,
      "it('a', async () => { for (;;) await new Promise(setImmediate); });",
      /timed out/,
      {},
      SHORT_MS,
    ));

  it('A run is red when a process does not end after its tests', (t) =>
    assertRed(
      t,
      "it('a', () => { setInterval(() => {}, 1000); });",
      /something keeps its process alive/,
      {},
      SHORT_MS,
    ));

  it('A run is green when one file continues long after others ended', async (t) => {
    const slow = (count: number) =>
      `// Needs: processes.\nfor (let i = 0; i < ${count}; i++)\nit('a', () => new Promise((done) => setTimeout(done, 1000)));`;
    const { code, stdout } = await runAll(t, [slow(1), "it('a', () => {});", slow(5)]);
    assert.match(stdout, /^ℹ pass 7$/m);
    assert.equal(code, 0);
  });

  it('A run is red when a suite has lost all of its tests', (t) =>
    assertRed(
      t,
      "const NONE: string[] = [];\nconst add = it;\ndescribe('s', () => { for (const each of NONE) add(each, () => {}); });\nit('b', () => {});",
      /it has a suite without a test: "s"/,
    ));

  it('A run is red when a test of a file was left out', (t) =>
    assertRed(
      t,
      "it('a', () => {});\nif (process.env.NOBODY_SETS_THIS)\nit('b', () => {});",
      /not all of its tests ran; without a result: line 4, 'b'/,
    ));

  it('A run on SQLite alone is green without a test that only PostgreSQL has, and a run on both is red without it', async (t) => {
    const text =
      "const engine = { name: 'SQLite' };\nit('a', () => {});\nif (engine.name === 'PostgreSQL')\nit('b', () => {});";
    assert.equal((await runFile(t, text, { STOA_TEST_ENGINE: 'sqlite' })).code, 0);
    await assertRed(t, text, /not all of its tests ran; without a result: line 5, 'b'/);
  });

  it('A run is red when a file contains no test', (t) => assertRed(t, '', /it contains no test/));

  it('A run is red when a file cannot be loaded', (t) =>
    assertRed(t, 'throw new Error("broken");', /broken/));

  it('runs files that need nothing in one process, and names the file of each failure', async (t) => {
    const print = 'console.log(process.pid);';
    const { code, stdout } = await runAll(t, [
      `it('a', () => { ${print} });`,
      `it('b', () => { ${print} throw new Error('wrong'); });`,
      `it('c', () => { ${print} });`,
    ]);
    assert.equal(code, 1);
    assert.equal(new Set(stdout.match(/^\d+$/gm)).size, 1);
    assert.match(stdout, /^ℹ pass 2\nℹ fail 1$/m);
    assert.match(stdout, /test at \S*sample1\.test\.mts:2:1\n✖ b/);
  });

  it('is red when files share a process that dies, and says which file was under way and which did not begin', async (t) => {
    const later = 'new Promise(() => setTimeout(() => process.exit(1), 200))';
    const dying = `it('b', () => {});\nit('c', () => ${later});`;
    const { code, stdout } = await runAll(t, ["it('a', () => {});", dying, "it('d', () => {});"]);
    assert.equal(code, 1);
    assert.match(stdout, /sample1\.test\.mts: its process ended .*; without a result: line 3, 'c'$/m);
    assert.match(stdout, /sample2\.test\.mts: it did not begin, because its process had ended$/m);
    assert.doesNotMatch(stdout, /sample0\.test\.mts: /);
  });

  it('is red when a file leaves something behind in a process that it shares, and names the file', async (t) => {
    const leaks = [
      ["it('a', () => { setInterval(() => {}, 1000); });", 'Timeout, 1 of them'],
      ["it('a', () => { Date.now = () => 0; });", 'Date.now'],
      ["it('a', () => { process.env.LEFT = '1'; });", 'process.env.LEFT'],
    ] as const;
    const { code, stdout } = await runAll(t, [...leaks.map(([text]) => text), "it('b', () => {});"]);
    assert.equal(code, 1);
    for (const [index, [, left]] of leaks.entries())
      assert.match(
        stdout,
        new RegExp(`✖ \\S*sample${index}\\S* .*\\n.*leaves this behind.*\\n[^']*'${left}'`),
      );
    assert.match(stdout, /^ℹ pass 4$/m);
  });

  const skipping = "it('a', (t) => t.skip('no strace'));\nit('b', () => {});";

  it('A run in CI is red when a test was skipped or is to do, and says which and why', async (t) => {
    await assertRed(t, skipping, /CI does not allow: .*"a" \(no strace\)/, { CI: 'true' });
    await assertRed(t, "it.todo('later');", /CI does not allow: .*"later" \(to do\)/, { CI: 'true' });
  });

  it('A run outside CI says which tests were skipped and why', async (t) => {
    const { code, stdout } = await runFile(t, skipping);
    assert.match(stdout, /Skipped: .*"a" \(no strace\)/);
    assert.equal(code, 0);
  });
});
