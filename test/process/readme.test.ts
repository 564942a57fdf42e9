import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { run } from '../support/command.ts';
import { matches, readSession, toScript } from '../support/console-session.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

const README = new URL('../../README.md', import.meta.url);
/** Where the README says that the service listens. */
const SHOWN_URL = 'http://127.0.0.1:8080';

describe('The README', { concurrency: true }, () => {
  it('shows a session that prints what it says, in a real shell with a real curl', async (t) => {
    const steps = readSession(await readFile(README, 'utf8'), '## A session');
    assert.ok(steps.length >= 5, `${steps.length} commands`);
    const { url } = await startProcess(t, { DATA_DIR: await temporaryFolder(t) });
    const mark = randomUUID();
    const script = toScript(steps, mark).replaceAll(SHOWN_URL, url);
    const shell = await run('bash', ['--noprofile', '--norc', '-s'], {
      input: `exec 2>&1\n${script}\n`,
      cwd: await temporaryFolder(t),
    });
    assert.equal(shell.code, 0, shell.stdout);

    const outputs = shell.stdout.replaceAll(url, SHOWN_URL).split(`\n${mark}\n`).slice(0, -1);
    assert.equal(outputs.length, steps.length, shell.stdout);
    for (const [index, { command, expected }] of steps.entries()) {
      const output = (outputs[index] ?? '').trimEnd();
      assert.ok(
        matches(expected, output),
        `$ ${command}\nthe README says\n${expected}\nand it printed\n${output}`,
      );
    }
  });

  it('is checked to the letter: only "…" stands for anything else', () => {
    const document =
      '## A session\n```console\n$ A=1\n$ echo "a \\\n  b"\na (b) [c]\nd…f\n```\ntext\n```console\n$ date\n…\n```\n## More\n```console\n$ rm\n```\n';
    const steps = readSession(document, '## A session');
    assert.deepEqual(steps, [
      { command: 'A=1', expected: '' },
      { command: 'echo "a \\\n  b"', expected: 'a (b) [c]\nd…f' },
      { command: 'date', expected: '…' },
    ]);
    const expected = steps[1]?.expected ?? '';
    assert.ok(matches(expected, 'a (b) [c]\nd and e, f'));
    for (const other of ['a (b) [c]\nd', 'a b c\ndef', 'a (b) [c]\ndef!', 'x\na (b) [c]\ndef']) {
      assert.ok(!matches(expected, other), other);
    }
  });
});
