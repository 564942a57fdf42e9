import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readOperation } from '../../src/store/operation.ts';
import { onEveryEngine, sameDatabase, sqlite } from '../support/engines.ts';
import { countNotes, insertNote } from '../support/operations.ts';
import { openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

/** Counts the notes whose names begin so, and how often it was made. */
function sharedCount(name: string, bytes = 0) {
  const made: string[] = [];
  const count = readOperation(
    name,
    (db, prefix: string, engine) => {
      made.push(prefix);
      return countNotes.run(db, prefix, engine);
    },
    () => false,
    () => bytes,
  );
  return { made, count };
}

onEveryEngine('Reads that requests share', (engine) => {
  it('A read that many ask for at once is made once for each input, and not for those who ask for another', async (t) => {
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
    await store.write(insertNote, 'a');
    const [{ made, count }, other] = [sharedCount('test.shared'), sharedCount('test.shared_other')];
    const asked = ['a', 'b', 'a', 'b'].map((prefix) => store.read(count, prefix));
    assert.deepEqual(await Promise.all([...asked, store.read(other.count, 'a')]), [1, 0, 1, 0, 1]);
    assert.deepEqual([made, other.made], [['a', 'b'], ['a']]);
  });

  it('A shared read sees every write that was answered before it, on this and on another instance', async (t) => {
    const shared = await sameDatabase(t, engine);
    const stores = [
      await openTestStore(t, shared, WITH_TEST_OPERATIONS),
      await openTestStore(t, shared, WITH_TEST_OPERATIONS),
    ] as const;
    const { count } = sharedCount('test.shared');
    for (let notes = 0; notes < 20; notes++) {
      const counts = await Promise.all(stores.map((store) => store.read(count, 'note')));
      assert.deepEqual(counts, [notes, notes]);
      await stores[notes % 2]?.write(insertNote, `note${notes}`);
    }
  });

  it('A shared read that failed is made again by the next who asks', async (t) => {
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
    let fails = true;
    const read = readOperation(
      'test.shared_failure',
      async () => (fails ? assert.fail('once') : 'made'),
      () => false,
      () => 0,
    );
    await assert.rejects(store.read(read, null), /once/);
    fails = false;
    assert.equal(await store.read(read, null), 'made');
  });
});

describe('Shared reads on SQLite', () => {
  it('A shared read that is asked for again is kept as long as nothing is written, and the newest 8 MiB are', async (t) => {
    const store = await openTestStore(t, sqlite, WITH_TEST_OPERATIONS);
    const { made, count } = sharedCount('test.shared', 128 * 1024 - 512);
    const ask = async (...prefixes: string[]) => {
      made.length = 0;
      for (const prefix of prefixes) {
        await store.read(count, prefix);
        await pause(0);
      }
      return [...made];
    };
    assert.deepEqual(await ask('a', 'a', 'a', 'a'), ['a', 'a']);
    await store.write(insertNote, 'a');
    assert.deepEqual(await ask('a', 'a', 'a'), ['a', 'a']);
    const others = Array.from({ length: 63 }, (_, index) => `b${index}`);
    assert.deepEqual(await ask(...others, ...others, 'a'), [...others, ...others]);
    assert.deepEqual(await ask('c', 'c', 'b62', 'a'), ['c', 'c', 'a']);
    await store.write(insertNote, 'b');
    const thrice = [...others, ...others, ...others];
    assert.deepEqual(await ask(...thrice), [...others, ...others], 'a write frees all that was kept');
  });

  it('A large output is shared by those who wait for it, and not kept', async (t) => {
    const store = await openTestStore(t, sqlite, WITH_TEST_OPERATIONS);
    const { made, count } = sharedCount('test.shared', 128 * 1024);
    for (let rounds = 1; rounds <= 3; rounds++) {
      await Promise.all([store.read(count, 'a'), store.read(count, 'a')]);
      await pause(0);
      assert.equal(made.length, rounds);
    }
  });
});
