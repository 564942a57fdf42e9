import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { appendInParts, PART_BYTES, removeInParts } from '../../src/store/large-file.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { copyDatabase, copySnapshot } from '../../src/store/sqlite/snapshot.ts';
import { removeWholeFile } from '../../src/transfer/backup/whole-file.ts';
import { temporaryFolder } from '../support/engines.ts';

// One after the other: a test counts the calls of all files.
describe('Large files that must not stop the commits of a service', () => {
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

  it('A copy of the database that is asked to stop ends at once and leaves nothing', async (t) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, 'stoa.db');
    const database = openForWriting(file);
    t.after(() => database.close());
    database.exec(
      `CREATE TABLE filling (bytes); INSERT INTO filling VALUES (randomblob(${64 * PART_BYTES}))`,
    );
    const stopping = new AbortController();
    const copying = copySnapshot(file, stopping.signal);
    const copy = join(`${file}-backup`, 'stoa.db');
    assert.ok(existsSync(copy), 'the copy has begun');
    stopping.abort(new Error('The service stops.'));
    const part = t.mock.method(stopping.signal, 'throwIfAborted');
    await assert.rejects(copying, /The service stops/);
    assert.equal(part.mock.callCount(), 1);
    assert.ok(!existsSync(`${file}-backup`));
  });

  it('A file that is written in parts waits for the disk after each mebibyte, and is whole on disk at its end', async (t) => {
    const path = join(await temporaryFolder(t), 'file');
    const handle = await open(path, 'wx');
    const calls: string[] = [];
    let unsynced = 0;
    for (const name of ['appendFile', 'datasync', 'sync', 'close'] as const) {
      const original = handle[name].bind(handle) as (...args: unknown[]) => Promise<void>;
      t.mock.method(handle, name, async (...args: unknown[]) => {
        calls.push(name);
        await original(...args);
        unsynced = name === 'appendFile' ? unsynced + (args[0] as Buffer).length : 0;
        assert.ok(unsynced <= PART_BYTES, `${unsynced} bytes wait for the disk`);
      });
    }
    const output = appendInParts(handle);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    for (let count = 0; count < 40; count++) if (!output.write(chunk)) await once(output, 'drain');
    output.end('the end');
    await once(output, 'finish');
    assert.deepEqual(calls.slice(-3), ['appendFile', 'sync', 'close']);
    assert.equal(calls.filter((name) => name === 'datasync').length, 2);
    assert.equal(String(await readFile(path)), `${'x'.repeat(40 * chunk.length)}the end`);
  });

  it('A large file is removed in parts, in at most 64, and a small or missing one at once', async (t) => {
    const path = join(await temporaryFolder(t), 'file');
    await writeFile(path, '');
    const handle = await open(path);
    const cuts = t.mock.method(Object.getPrototypeOf(handle), 'truncate');
    await handle.close();
    const MIB = 1024 * 1024;
    for (const [mebibytes, least, most] of [
      [0, 0, 0],
      [8, 0, 0],
      [100, 10, 13],
      [4_096, 60, 64],
    ] as const) {
      await writeFile(path, '');
      // The file has no blocks, so it takes no room.
      await truncate(path, mebibytes * MIB);
      cuts.mock.resetCalls();
      await removeInParts(path);
      const count = cuts.mock.callCount();
      assert.ok(count >= least && count <= most, `${count} cuts for ${mebibytes} MiB`);
      assert.equal(existsSync(path), false);
    }
    await removeInParts(path);
  });

  it('A write that fails in parts ends the stream with its error', async (t) => {
    const handle = await open(join(await temporaryFolder(t), 'file'), 'wx');
    await handle.close();
    const output = appendInParts(handle);
    const failed = new Promise((resolve) => output.once('error', resolve));
    output.write('lost');
    assert.match(String(await failed), /EBADF|closed/);
  });

  it('A backup that is removed is whole under its name until it has none', async (t) => {
    const file = await fileOf(t, 64 * PART_BYTES);
    const sizes = await sizesDuring(removeWholeFile(file), file);
    assert.deepEqual(
      sizes.filter((size) => size !== 64 * PART_BYTES),
      [],
    );
    assert.equal(existsSync(file), false);
    await removeWholeFile(file);
  });
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
