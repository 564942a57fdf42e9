// Needs: processes.

import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import { it } from 'node:test';
import { call } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { countsOf, startWithCommands } from '../support/content-commands.ts';
import { compareExport } from '../support/documents/compare-export.ts';
import {
  ENGINES,
  lifetimeOfSuite,
  onEveryEngine,
  type TestEngine,
  temporaryFolder,
} from '../support/engines.ts';
import { startCommand } from '../support/start-command.ts';
import { until } from '../support/until.ts';

const NODE_MODULES = new URL('../../node_modules', import.meta.url).pathname;

const lifetime = lifetimeOfSuite();
let copied: Promise<readonly string[]> | undefined;

/**
 * A folder for the engine with Markdown files of `node_modules`, because each walk through the other files costs
 * seconds. What a file holds is read alike on every engine, so each file is in the folder of one engine.
 */
async function realFiles(engine: TestEngine): Promise<string> {
  copied ??= copyRealFiles();
  const folder = (await copied)[ENGINES.indexOf(engine)];
  assert.ok(folder !== undefined);
  return folder;
}

async function copyRealFiles(): Promise<string[]> {
  const folders = await Promise.all(ENGINES.map(() => temporaryFolder(lifetime)));
  const found = await readdir(NODE_MODULES, { recursive: true, withFileTypes: true });
  const files = found.filter((each) => each.isFile() && ['.md', '.markdown'].includes(extname(each.name)));
  for (const [index, { parentPath, name }] of files.entries()) {
    const path = join(parentPath, name);
    const copy = join(folders[index % folders.length] ?? '', relative(NODE_MODULES, path));
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(path, copy);
  }
  return folders;
}

/** So many items that an import of them can be killed between two of its writes, of which each has fifty. */
const MANY = 500;
/** So often it is tried to kill it there. */
const TRIES = 10;

onEveryEngine('Content in files', (engine) => {
  it('Hundreds of real Markdown files survive an import, an export and another import while a server runs', async (t) => {
    const { importFrom, author, url, settings } = await startWithCommands(t, engine);
    const command = (...args: string[]) => stoa(['content', ...args], { settings });
    const files = await realFiles(engine);
    const first = await command('import', files, '--author', author.username);
    const [made = 0, ...others] = countsOf(first);
    assert.ok(made >= 300, `${made} files`);
    assert.deepEqual([first.code, others], [0, [0, 0, 0]]);
    assert.deepEqual(countsOf(await importFrom(files, { author: author.email })), [0, 0, made, 0]);

    const folder = join(await temporaryFolder(t), 'export');
    assert.equal((await command('export', folder)).code, 0);
    assert.deepEqual(await compareExport(files, folder), { files: made, different: [] });
    assert.equal((await stat(folder)).mode & 0o777, 0o700);

    const lines = await command('export');
    const { total } = (await call(url, 'GET', '/api/content')).body.data;
    assert.deepEqual([lines.stdout.split('\n').length - 1, total], [made, made]);
    const there = await startWithCommands(t, engine);
    const [file, again] = [join(folder, '..', 'all.ndjson'), join(folder, '..', 'again.ndjson')];
    await writeFile(file, lines.stdout);
    assert.deepEqual(countsOf(await there.importFrom(file)), [made, 0, 0, 0]);
    assert.equal((await there.exportTo(again)).code, 0);
    assert.deepEqual(await withoutAuthors(again), await withoutAuthors(file));
  });

  it('An import that is killed has made whole batches, and the next one makes what is missing and nothing twice', async (t) => {
    const file = join(await temporaryFolder(t), 'many.ndjson');
    const lines = Array.from({ length: MANY }, (_, id) =>
      JSON.stringify({ id, title: `${id}`, content: 'c' }),
    );
    await writeFile(file, lines.join('\n'));
    // On a busy machine an import may have made all of them before it is killed.
    for (let made = MANY, tries = 1; made === MANY; tries++) {
      const { url, importFrom, author, settings } = await startWithCommands(t, engine);
      const total = async () => (await call(url, 'GET', '/api/content')).body.data.total;
      const args = ['content', 'import', file, '--author', author.username];
      const run = startCommand(t, args, settings);
      await until(async () => (await total()) > 0, 'the first items are there');
      run.signal('SIGKILL');
      await run.ended;
      made = await total();
      assert.ok(made > 0 && (made < MANY || tries < TRIES) && made % 50 === 0, `${made} items`);
      assert.deepEqual(countsOf(await importFrom(file)), [MANY - made, 0, made, 0]);
      assert.equal(await total(), MANY);
    }
  });
});

/** The lines of an export, without what belongs to its service. */
async function withoutAuthors(file: string): Promise<unknown[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const { id: _, author: __, ...members } = JSON.parse(line);
    return members;
  });
}
