// Needs: processes.

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { appendInParts, PART_BYTES, removeInParts } from '../../src/store/large-file.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { copyDatabase } from '../../src/store/sqlite/snapshot.ts';
import { removeWholeFile } from '../../src/transfer/backup/whole-file.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';

describe('Large files that must not stop the commits of a service', { concurrency: true }, () => {
  it('A copy of the database in many parts is of one moment, although commits go on meanwhile', async (t) => {
    const folder = await temporaryFolder(t);
    const [file, copy] = [join(folder, 'stoa.db'), join(folder, 'copy.db')];
    const database = openForWriting(file);
    t.after(() => database.close());
    database.exec('CREATE TABLE first (n); CREATE TABLE last (n); INSERT INTO first VALUES (0)');
    database.exec('CREATE TABLE filling (bytes); INSERT INTO last VALUES (0)');
    for (let part = 0; part < 16; part++)
      database.exec(`INSERT INTO filling VALUES (randomblob(${PART_BYTES}))`);
    let [isCopying, writes] = [true, 0];
    const copying = copyDatabase(file, copy).finally(() => {
      isCopying = false;
    });
    while (isCopying) {
      writes++;
      database.exec(`BEGIN; UPDATE first SET n = ${writes}; UPDATE last SET n = ${writes}; COMMIT`);
      await nextTurn();
    }
    await copying;
    assert.ok(writes > 10, `${writes} writes`);
    using copied = new DatabaseSync(copy, { readOnly: true });
    assert.deepEqual(
      { ...copied.prepare('SELECT first.n AS a, last.n AS b FROM first, last').get() },
      { a: 0, b: 0 },
    );
    assert.equal(copied.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  });

  it('A file that is written in parts has every byte, whatever the chunks', async (t) => {
    const file = join(await temporaryFolder(t), 'file');
    const chunks = [1, PART_BYTES - 1, 3 * PART_BYTES + 7, 0, 64].map((length, index) =>
      Buffer.alloc(length, index),
    );
    const output = appendInParts(await open(file, 'wx'));
    for (const chunk of chunks) output.write(chunk);
    await new Promise<void>((resolve) => output.end(resolve));
    assert.ok((await readFile(file)).equals(Buffer.concat(chunks)));
  });

  it('A write that fails in parts ends the stream with its error', async (t) => {
    const handle = await open(join(await temporaryFolder(t), 'file'), 'wx');
    await handle.close();
    const output = appendInParts(handle);
    const failed = new Promise((resolve) => output.once('error', resolve));
    output.write('lost');
    assert.match(String(await failed), /EBADF|closed/);
  });

  for (const size of [0, 1, 40 * PART_BYTES + 1])
    it(`A file of ${size} bytes is removed`, async (t) => {
      const file = await fileOf(t, size);
      await removeInParts(file);
      assert.equal(existsSync(file), false);
      await removeInParts(file);
    });

  it('A large file gets shorter part by part, so that its blocks are not freed all at once', async (t) => {
    const file = await fileOf(t, 64 * PART_BYTES);
    const sizes = await sizesDuring(removeInParts(file), file);
    const steps = sizes.map((size, index) => (sizes[index - 1] ?? size) - size);
    assert.ok(sizes.length >= 3, `${sizes}`);
    assert.ok(Math.max(...steps) <= 32 * PART_BYTES, `${sizes}`);
  });

  it('A backup that is removed is whole under its name until it has none', async (t) => {
    const file = await fileOf(t, 64 * PART_BYTES);
    assert.deepEqual(await sizesDuring(removeWholeFile(file), file), [64 * PART_BYTES]);
    await removeWholeFile(file);
  });
});

it('A process that comes last gives idle time only to all of its threads', async () => {
  const module = new URL('../../src/domain/priority.ts', import.meta.url).pathname;
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { comeLast } from ${JSON.stringify(module)};
    comeLast();
    await import('node:fs/promises').then(({ stat }) => stat('/'));
    const fields = (id) => readFileSync('/proc/self/task/' + id + '/stat', 'utf8').replace(/^.*\\) /, '').split(' ');
    console.log(readdirSync('/proc/self/task').map((id) => fields(id)[38]).join(' '));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  const policies = stdout.trim().split(' ');
  assert.ok(policies.length > 4, stdout);
  const SCHED_IDLE = '5';
  assert.deepEqual([...new Set(policies)], [SCHED_IDLE]);
});

async function fileOf(t: TestContext, size: number): Promise<string> {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, Buffer.alloc(size, 1));
  return file;
}

/** The sizes that the file is seen to have, each once, until the work is done. */
async function sizesDuring(work: Promise<void>, file: string): Promise<number[]> {
  const sizes = new Set<number>();
  let goesOn = true;
  const ended = work.finally(() => {
    goesOn = false;
  });
  while (goesOn) {
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size !== undefined) sizes.add(size);
    await nextTurn();
  }
  await ended;
  return [...sizes];
}
