// Needs: processes.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { run } from '../support/command.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const ROOT = new URL('../../', import.meta.url);
const path = (name: string) => new URL(name, ROOT).pathname;
/** Where the oldest Node.js that the client runs on may be. */
const OLD_NODES = [process.env.STOA_OLD_NODE, '/usr/bin/node', '/usr/local/bin/node'];
const OLD = /^v2[0-2]\./;
/**
 * What Node.js 20 lacks of what this one has. Node.js itself uses the functions, so those are looked for in the text.
 */
const NEWER = ['navigator', 'WebSocket', 'EventSource', 'CloseEvent', 'Storage', 'localStorage', 'Iterator'];
const NEWER_FUNCTIONS =
  /\b(AbortSignal\.any|withResolvers|Promise\.try|groupBy|fromAsync|URL\.parse|RegExp\.escape|fromBase64|toBase64|fromHex|toHex|symmetricDifference|is(Sub|Super)setOf|isDisjointFrom)\b/;
/** Bytes after gzip that an entry takes at most. */
const MOST = { index: 6 * 1024, live: 2 * 1024 };

describe('The package of the client', () => {
  before(async () => {
    const built = await run(process.execPath, [path('scripts/build-client.ts')], {});
    assert.equal(built.code, 0, built.stderr);
  });

  it('The client takes 6 KiB after gzip at most, and its live events 2 KiB more', async () => {
    for (const [entry, most] of Object.entries(MOST)) {
      const { length } = await promisify(gzip)(await readFile(path(`client/dist/${entry}.js`)));
      assert.ok(length <= most, `${entry} takes ${length} bytes`);
    }
  });

  it('A clock that is wrong by a day changes nothing: the client reads the monotonic one only', async () => {
    for (const entry of Object.keys(MOST)) {
      const built = await readFile(path(`client/dist/${entry}.js`), 'utf8');
      assert.doesNotMatch(built, /\bDate\b/);
      if (entry === 'index') assert.match(built, /performance\.now\(\)/);
    }
  });

  it('The types of the client are those of openapi.json', async (t) => {
    const folder = await temporaryFolder(t);
    const made = await run(process.execPath, [path('scripts/client-types.ts'), folder], {});
    assert.equal(made.code, 0, made.stderr);
    for (const name of ['types.gen.ts', 'operations.gen.ts'])
      assert.equal(
        await readFile(path(`client/src/${name}`), 'utf8'),
        await readFile(join(folder, name), 'utf8'),
        `${name} is old: npm run contract`,
      );
  });

  it('The package has no dependency, and only what is built, its README and its licence', async () => {
    const manifest = JSON.parse(await readFile(path('client/package.json'), 'utf8'));
    assert.equal(manifest.dependencies, undefined);
    const listed = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: path('client'),
      settings: { PATH: process.env.PATH ?? '' },
    });
    const [, said = ''] = /(\{[\s\S]*\})/.exec(listed.stdout) ?? [];
    const names = [...said.matchAll(/"path": "([^"]+)"/g)].map(([, name = '']) => name);
    assert.ok(names.includes('dist/index.js') && names.includes('README.md'), listed.stdout + listed.stderr);
    const others = names.filter((name) => !/^dist\/[\w.-]+\.(js|d\.ts)$/.test(name));
    assert.deepEqual(others.toSorted(), ['LICENSE', 'README.md', 'package.json']);
    assert.equal(await readFile(path('client/LICENSE'), 'utf8'), await readFile(path('LICENSE'), 'utf8'));
  });

  it('The example of the README runs with the built package, without what Node.js 20 lacks', async (t) => {
    const preload = join(await temporaryFolder(t), 'older.mjs');
    await writeFile(preload, NEWER.map((name) => `delete globalThis.${name};\n`).join(''));
    await runExample(t, process.execPath, ['--import', preload]);
    for (const entry of Object.keys(MOST))
      assert.doesNotMatch(await readFile(path(`client/dist/${entry}.js`), 'utf8'), NEWER_FUNCTIONS);
  });

  it('The example of the README runs on the oldest Node.js that the client supports', async (t) => {
    const versions = await Promise.all(OLD_NODES.map(versionOf));
    const program = OLD_NODES[versions.findIndex((version) => OLD.test(version))];
    if (program === undefined) return t.skip('Node.js 20 is not installed; STOA_OLD_NODE names one');
    await runExample(t, program);
  });
});

/** Empty where there is no such program. */
async function versionOf(program: string | undefined): Promise<string> {
  if (program === undefined || !existsSync(program)) return '';
  return (await run(program, ['--version'])).stdout;
}

async function runExample(t: TestContext, program: string, options: readonly string[] = []): Promise<void> {
  const { url } = await startService(t, sqlite);
  const text = await readFile(path('client/README.md'), 'utf8');
  const blocks = [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  assert.ok(blocks.length >= 4, `${blocks.length} blocks`);
  const folder = await temporaryFolder(t);
  await symlink(path('node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'readme.mjs');
  await writeFile(file, blocks.join('\n').replace('http://localhost:8080', url));
  const done = await run(program, [...options, file], { settings: { PATH: process.env.PATH ?? '' } });
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.stdout, 'ada\nHello\nHello\nnot_found\ncontent.created\nsigned-out\n');
}
