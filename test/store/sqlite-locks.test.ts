// Needs: processes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { FileLock } from '../../src/store/sqlite/lock.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';

const LOCK = new URL('../../src/store/sqlite/lock.ts', import.meta.url).href;

/** Another process asks for the file and says what it got. */
async function askFor(kind: 'server' | 'shared' | 'alone', file: string): Promise<string> {
  const script = `import { FileLock } from '${LOCK}';
    process.stdout.write(FileLock.${kind}(process.argv[1]) ? 'mine' : 'taken');`;
  return (await run(process.execPath, ['--input-type=module', '-e', script, file])).stdout;
}

describe('The lock on the use of an SQLite file', { concurrency: true }, () => {
  it('A lock on an SQLite file lets one server in, with commands and without a move', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.server(file);
    assert.equal(await askFor('server', file), 'taken');
    assert.equal(await askFor('alone', file), 'taken');
    assert.equal(await askFor('shared', file), 'mine');
    assert.equal(FileLock.server(file), undefined, 'nor twice in one process');
    lock?.release();
    const move = FileLock.alone(file);
    assert.equal(await askFor('server', file), 'taken');
    move?.release();
    assert.equal(await askFor('server', file), 'mine');
    assert.deepEqual(await readdir(dirname(file)), ['stoa.db-lock'], 'and leaves no journal behind');
  });

  it('A shared lock on an SQLite file lets commands in, and no exclusive lock', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.shared(file);
    assert.equal(await askFor('shared', file), 'mine');
    assert.equal(await askFor('alone', file), 'taken');
    lock?.release();
    assert.equal(await askFor('alone', file), 'mine');
  });

  it('An exclusive lock on an SQLite file keeps everybody out until it is released', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.alone(file);
    assert.equal(await askFor('shared', file), 'taken');
    assert.equal(await askFor('alone', file), 'taken');
    lock?.release();
    assert.equal(await askFor('shared', file), 'mine');
  });

  // To close any handle of a file ends all locks that the process has on it.
  it('A lock on an SQLite file stays when the same process takes and releases a second one', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.shared(file);
    t.after(() => lock?.release());
    FileLock.shared(file)?.release();
    assert.equal(await askFor('alone', file), 'taken');
  });

  it('A lock on an SQLite file holds under any link and relative name of the file', async (t) => {
    const folder = await temporaryFolder(t);
    const [data, links] = [join(folder, 'data'), join(folder, 'links')];
    await Promise.all([mkdir(data), mkdir(links)]);
    const file = join(data, 'stoa.db');
    await writeFile(file, '');
    await symlink(file, join(links, 'other.db'));
    await symlink(join(links, 'other.db'), join(folder, 'twice.db'));
    await symlink(data, join(folder, 'elsewhere'));
    const names = [
      file,
      join(links, 'other.db'),
      join(folder, 'twice.db'),
      join(folder, 'elsewhere', 'stoa.db'),
      // As the other process is started in the folder of temporary files.
      relative(tmpdir(), file),
    ];
    for (const name of [file, join(folder, 'twice.db')]) {
      const lock = FileLock.shared(name);
      const answers = await Promise.all(names.map((other) => askFor('alone', other)));
      assert.deepEqual(answers, Array(names.length).fill('taken'), name);
      lock?.release();
    }
    assert.equal(await askFor('alone', file), 'mine');
  });
});

describe('A new SQLite file', () => {
  it('A new SQLite file is opened for writing also while another connection gives it its log', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    // What the other connection does to the file it does in this way: it holds the lock of a writer for a moment.
    const other = new Worker(
      `const { DatabaseSync } = require('node:sqlite');
      const database = new DatabaseSync(${JSON.stringify(file)});
      database.exec('BEGIN IMMEDIATE');
      require('node:worker_threads').parentPort.postMessage('locked');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      database.exec('COMMIT');
      database.close();`,
      { eval: true },
    );
    await once(other, 'message');
    using database = openForWriting(file);
    assert.equal(database.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
    await once(other, 'exit');
  });
});
