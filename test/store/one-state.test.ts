import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { listUsers } from '../../src/accounts/list.ts';
import { listContent } from '../../src/lists/list.ts';
import { readOperation } from '../../src/store/operation.ts';
import { newSqliteFile, onEveryEngine } from '../support/engines.ts';
import { newFlag, raise, raised } from '../support/flag.ts';
import { countNotesTwice } from '../support/gated-operations.ts';
import { insertNote, readNote } from '../support/operations.ts';
import { openStoreOn, openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

onEveryEngine('Long reads', (engine) => {
  it('A long read sees one state of the database from its first statement to its last', async (t) => {
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
    await store.write(insertNote, 'note1');
    const [isCounted, goOn] = [newFlag(), newFlag()];
    const counts = store.read(countNotesTwice, [isCounted, goOn]);
    await raised(isCounted);
    await store.write(insertNote, 'note2');
    raise(goOn);
    assert.deepEqual(await counts, [1, 1]);
  });
});

describe('Lists with conditions', () => {
  it('A list with any condition is a long read', () => {
    const page = { keyword: '', category: '', tags: [], anyTags: [], page: 1, per_page: 20 };
    for (const condition of [
      { keyword: 'a' },
      { category: 'a' },
      { language: 'de' },
      { tags: ['a'] },
      { author: 1 },
    ])
      assert.equal(listContent.isLong({ ...page, ...condition }), true, JSON.stringify(condition));
    assert.equal(listUsers.isLong({ ...page, keyword: 'a' }), true);
  });
});

describe('Short reads on SQLite', { concurrency: true }, () => {
  it('A short read sees one state of the database from its first statement to its last', async (t) => {
    const { store, heldWrite } = await openedFile(t);
    const letCommit = heldWrite();
    const countTwice = readOperation('test.count_twice', async (db, _: null) => {
      const count = async () =>
        (await sql<{ notes: number }>`select count(*) as notes from secrets`.execute(db)).rows[0]?.notes;
      const first = await count();
      letCommit();
      return [first, await count()];
    });
    const written = store.write(insertNote, 'note');
    await nextTurn();
    assert.deepEqual(await store.read(countTwice, null), [0, 0]);
    await written;
  });

  it('A short read sees a write that was answered before, although others read in the same turn', async (t) => {
    const { store, heldWrite } = await openedFile(t);
    const letCommit = heldWrite();
    const written = store.write(insertNote, 'note');
    await nextTurn();
    // A timer, because what comes from the writer is heard between the timers of a turn and its end.
    await pause(1);
    assert.equal(await store.read(readNote, 'note'), null);
    letCommit();
    // Until the answer of the writer is there, and waits for this thread.
    Atomics.wait(newFlag(), 0, 0, 100);
    await written;
    assert.equal(await store.read(readNote, 'note'), '0');
  });
});

/** `heldWrite` keeps the next write from its turn; what it returns lets it go on and stands still until it is committed. */
async function openedFile(t: TestContext) {
  const file = await newSqliteFile(t);
  const store = await openStoreOn(t, { kind: 'sqlite', file }, WITH_TEST_OPERATIONS);
  const other = new DatabaseSync(file, { timeout: 5_000 });
  t.after(() => other.close());
  const count = other.prepare('SELECT count(*) AS notes FROM secrets');
  const heldWrite = () => {
    other.exec('BEGIN IMMEDIATE');
    return () => {
      other.exec('COMMIT');
      while (count.get()?.notes === 0);
    };
  };
  return { store, heldWrite };
}
