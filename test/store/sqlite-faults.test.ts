import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { Failure } from '../../src/domain/failure.ts';
import { listContent } from '../../src/lists/list.ts';
import { readOperation } from '../../src/store/operation.ts';
import { OperationThreads } from '../../src/store/sqlite/operation-threads.ts';
import { SqliteReads } from '../../src/store/sqlite/reads.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { newSqliteFile, temporaryFolder } from '../support/engines.ts';
import { newFlag, raise, raised } from '../support/flag.ts';
import { fillNote, holdReader, leaveRoom } from '../support/gated-operations.ts';
import { countNotes, insertNote, readNote } from '../support/operations.ts';
import { newCaller, openStoreOn, WITH_TEST_OPERATIONS } from '../support/store.ts';

const PLENTY = 100_000;
const MIB = 1024 * 1024;

describe('Full SQLite files', { concurrency: true }, () => {
  it('A full SQLite file refuses only the write that has no room, and stores the others', async (t) => {
    const { store } = await opened(t);
    const item = { title: 't', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    const contents = ['a', 'b', 'x'.repeat(MIB), 'c', 'd'];
    await store.write(leaveRoom, 20);
    const written = contents.map((content) => outcomeOf(store.write(createContent, { ...item, content })));
    assert.deepEqual(await Promise.all(written), ['done', 'done', 'unavailable', 'done', 'done']);
    const { items } = await store.read(listContent, { ...EVERYTHING, author: item.userId });
    assert.deepEqual(
      items.map((item) => 'content' in item && item.content),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('A full SQLite file that ends the transaction refuses all of its writes, and stores none', async (t) => {
    const { store, file } = await opened(t);
    await store.write(insertNote, 'note-before');
    await store.write(leaveRoom, 20);
    const other = new DatabaseSync(file, { timeout: 5_000 });
    t.after(() => other.close());
    // They wait for their turn until all of them are one transaction.
    other.exec('BEGIN IMMEDIATE');
    const written = [
      store.write(insertNote, 'note-1'),
      store.write(insertNote, 'note-2'),
      // One row without triggers: SQLite keeps nothing by which it could undo this alone.
      store.write(fillNote, { name: 'note-large', bytes: MIB }),
      store.write(insertNote, 'note-3'),
      store.write(insertNote, 'note-4'),
    ].map(outcomeOf);
    other.exec('ROLLBACK');
    assert.deepEqual(await Promise.all(written), Array(5).fill('unavailable'));
    assert.equal(await store.read(countNotes, 'note-'), 1);

    await store.write(leaveRoom, PLENTY);
    await store.write(fillNote, { name: 'note-large', bytes: MIB });
    assert.equal(await store.read(countNotes, 'note-'), 2);
  });
});

describe('SQLite files under load', { concurrency: true }, () => {
  it('An SQLite file locked by another process is unavailable for writes only, and only until then', async (t) => {
    const { store, file } = await opened(t);
    await store.write(insertNote, 'note-before');
    const other = new DatabaseSync(file, { timeout: 5_000 });
    t.after(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const written = outcomeOf(store.write(insertNote, 'note'));
    assert.equal(await store.read(readNote, 'note-before'), '0');
    assert.equal(await written, 'unavailable');
    other.exec('ROLLBACK');
    await store.write(insertNote, 'note');
    assert.equal(await store.read(readNote, 'note'), '0');
  });

  it('An SQLite file is read for short requests and written while a search takes long', async (t) => {
    const { store } = await opened(t);
    const [hasBegun, end] = [newFlag(), newFlag()];
    let isSearching = true;
    const search = store.read(holdReader, [hasBegun, end]).then(() => {
      isSearching = false;
    });
    await raised(hasBegun);
    await store.write(insertNote, 'note');
    assert.deepEqual([await store.read(readNote, 'note'), isSearching], ['0', true]);
    raise(end);
    await search;
  });
});

describe('SQLite files that cannot be read', () => {
  it('A shared read fails in words for the operator where already the version of its state cannot be read', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    for (const made of [file, `${file}-derived`]) new DatabaseSync(made).exec('CREATE TABLE t (x)');
    const threads = new OperationThreads({ file, operationsUrl: '' }, assert.ifError);
    const reads = new SqliteReads(file, threads, 'turn');
    const shared = readOperation(
      'test.shared',
      async () => 'never read',
      () => false,
      () => 0,
    );
    await writeFile(file, 'no database, '.repeat(1_000));
    await assert.rejects(reads.read(shared, null), /: The database file is damaged/);
    await reads.close();
  });
});

const EVERYTHING = { keyword: '', category: '', page: 1, per_page: 20 };

async function outcomeOf(write: Promise<unknown>): Promise<string> {
  return write.then(
    () => 'done',
    (error) => (error instanceof Failure ? error.data.error : String(error)),
  );
}

async function opened(t: TestContext) {
  const file = await newSqliteFile(t);
  return { file, store: await openStoreOn(t, { kind: 'sqlite', file }, WITH_TEST_OPERATIONS) };
}
