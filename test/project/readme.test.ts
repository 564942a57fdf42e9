// Needs: processes.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { run, stoa } from '../support/command.ts';
import { matches, readSession, toScript } from '../support/console-session.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

const ROOT = new URL('../../', import.meta.url);
const README = new URL('README.md', ROOT);
/** Where commands are named: to readers, and by the program itself. */
const TEXTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', '.env.example', 'docs', 'mail', 'src'];
/** Where the README says that the service listens. */
const SHOWN_URL = 'http://127.0.0.1:8080';

/** The verbs that have verbs of their own. */
const GROUPS = ['admin', 'content', 'keys', 'sessions', 'users'];

describe('The README', { concurrency: true }, () => {
  it('The session of the README prints what the README shows, in a real shell with a real curl', async (t) => {
    const steps = readSession(await readFile(README, 'utf8'), '## A session');
    assert.ok(steps.length >= 5, `${steps.length} commands`);
    const { url } = await startProcess(t, { DATA_DIR: await temporaryFolder(t) });
    const mark = randomUUID();
    const search = `curl -s '${url}/api/content?tag=first&keyword=ITEM'`;
    // On a busy machine the index of words may need longer than a search waits.
    const indexed = `for _ in {1..300}; do ${search} | grep -q '"total":0' || break; sleep 0.1; done; ${search}`;
    const plain = toScript(steps, mark).replaceAll(SHOWN_URL, url);
    assert.ok(plain.includes(search), 'the session has a search');
    const script = plain.replace(search, () => indexed);
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

  it('The texts name no command that npm would fetch, and no unknown script or verb', async () => {
    const text = (await Promise.all(TEXTS.map(readAll))).join('\n');
    const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'));
    // `npx node` is the Node of the lockfile in this folder, and the Node of its makers elsewhere.
    const fetched = text.match(/\bnpx (?!node\b)[@\w/-]+/g);
    assert.deepEqual(fetched, null);
    const named = text.matchAll(/\bnpm (?:--prefix \S+ )?run (?:-s |--silent )?([\w:-]+)/g);
    const unknown = [...named].map(([, name = '']) => name).filter((name) => !Object.hasOwn(scripts, name));
    assert.deepEqual(unknown, []);

    const verbs = await verbsOf([]);
    const commands = [...text.matchAll(/\brun (?:-s )?stoa -- ([a-z][a-z-]*)(?: ([a-z-]+))?/g)];
    assert.ok(commands.length > 20, `${commands.length} commands`);
    for (const [command, verb = '', second = ''] of commands) {
      assert.ok(verbs.includes(verb), command);
      const under = GROUPS.includes(verb) ? await verbsOf([verb]) : [second];
      assert.ok(under.includes(second), command);
    }
  });

  it('Each script that a person runs has a row in the table of everyday commands', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'));
    const rows = await readFile(new URL('CONTRIBUTING.md', ROOT), 'utf8');
    const named = [...rows.matchAll(/^\| `npm (?:run )?([\w:-]+)[^`]*` \|/gm)].map(([, name]) => name);
    // npm runs the first two itself, and `npm run check` the others.
    const own = Object.keys(scripts).filter((name) => !/^(prestart|prepare|check:.*)$/.test(name));
    assert.deepEqual(named.toSorted(), own.toSorted());
  });

  it('The session of the README is compared to the letter, and only "…" stands for anything else', () => {
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

/** The text of a file, or of all files below a folder. */
async function readAll(path: string): Promise<string> {
  const url = new URL(path, ROOT);
  if (!(await stat(url)).isDirectory()) return readFile(url, 'utf8');
  const entries = await readdir(url, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))
  ).join('\n');
}

const helps = new Map<string, Promise<string[]>>();

/** The verbs that `stoa --help`, or that of a group, tells. */
function verbsOf(group: readonly string[]): Promise<string[]> {
  const key = group.join(' ');
  const verbs = helps.get(key) ?? readVerbs(group);
  helps.set(key, verbs);
  return verbs;
}

async function readVerbs(group: readonly string[]): Promise<string[]> {
  const { stdout } = await stoa([...group, '--help']);
  return [...stdout.matchAll(/^ {2}([a-z-]+)/gm)].map(([, verb = '']) => verb);
}
