import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { it } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { listContent } from '../../src/lists/list.ts';
import { BUCKET_SIZE } from '../../src/store/counts.ts';
import type { Store } from '../../src/store/store.ts';
import { onEveryEngine, type TestEngine } from '../support/engines.ts';
import { compareBuckets, deleteItems, insertItems, listItemIds, seekItem } from '../support/operations.ts';
import { randomFrom } from '../support/seed.ts';
import { ADA, openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

onEveryEngine('Counts of visible rows', (engine) => {
  it('The count of visible rows is exact after many random insertions and deletions', async (t) => {
    const { store, author } = await storeWithAuthor(t, engine);
    const random = randomFrom(t);
    for (let round = 0; round < 40; round++) {
      if (random() < 0.6) await store.write(insertItems, { author, count: Math.ceil(random() * 700) });
      else await deleteSome(store, () => random() < 0.3);
      const { counted, naive } = await store.read(compareBuckets, BUCKET_SIZE);
      assert.deepEqual(counted, naive, `after round ${round}`);
    }
    const { total } = await store.read(listContent, { ...EVERYTHING, page: 1, per_page: 1 });
    assert.equal(total, (await store.read(listItemIds, null)).length);
  });

  it('The count of visible rows is not changed by a write that fails', async (t) => {
    const { store, author } = await storeWithAuthor(t, engine);
    await store.write(insertItems, { author, count: 10 });
    await assert.rejects(store.write(insertItems, { author: author + 1, count: 10 }));
    const { counted, naive } = await store.read(compareBuckets, BUCKET_SIZE);
    assert.deepEqual(counted, [[0, 10]]);
    assert.deepEqual(naive, [[0, 10]]);
  });

  it('The count leads every offset to the right row, with gaps and empty buckets', async (t) => {
    const { store, author } = await storeWithAuthor(t, engine);
    const random = randomFrom(t);
    await store.write(insertItems, { author, count: 5 * BUCKET_SIZE });
    // Gaps everywhere, one bucket without any row, and one that keeps only its last.
    await deleteSome(store, (id) => {
      const bucket = Math.floor(id / BUCKET_SIZE);
      return bucket === 1 || (bucket === 2 && id % BUCKET_SIZE !== BUCKET_SIZE - 1) || random() < 0.2;
    });
    const ids = await store.read(listItemIds, null);
    for (let offset = 0; offset <= ids.length; offset += 97) await assertLeadsTo(store, ids, offset);
    for (const offset of bucketEdges(ids)) await assertLeadsTo(store, ids, offset);
  });

  it('The count gives each page of a long list exactly the rows of that page', async (t) => {
    const { store, author } = await storeWithAuthor(t, engine);
    const random = randomFrom(t);
    await store.write(insertItems, { author, count: 3 * BUCKET_SIZE });
    await deleteSome(store, () => random() < 0.3);
    const ids = await store.read(listItemIds, null);
    const paged: number[] = [];
    for (let page = 1; ; page++) {
      const { items, total } = await store.read(listContent, { ...EVERYTHING, page, per_page: 100 });
      assert.equal(total, ids.length);
      if (items.length === 0) break;
      paged.push(...items.map(({ id }) => id));
    }
    assert.deepEqual(paged, ids);
  });
});

const EVERYTHING = { keyword: '', category: '' };

async function storeWithAuthor(t: TestContext, engine: TestEngine) {
  const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
  const { id } = await store.write(createAccount, ADA);
  return { store, author: id };
}

async function deleteSome(store: Store, isDeleted: (id: number) => boolean): Promise<void> {
  const ids = await store.read(listItemIds, null);
  await store.write(deleteItems, ids.filter(isDeleted));
}

async function assertLeadsTo(store: Store, ids: readonly number[], offset: number): Promise<void> {
  const { id, skipped } = await store.read(seekItem, offset);
  assert.equal(id, ids[offset] ?? null, `at offset ${offset}`);
  if (offset < ids.length) assert.ok(skipped <= BUCKET_SIZE, `passes ${skipped} rows at offset ${offset}`);
}

/** The offsets of the first and the last row of each bucket, and those beside them. */
function bucketEdges(ids: readonly number[]): number[] {
  const starts = ids.flatMap((id, index) => {
    const previous = ids[index - 1];
    return previous === undefined || Math.floor(id / BUCKET_SIZE) !== Math.floor(previous / BUCKET_SIZE)
      ? [index]
      : [];
  });
  return starts.flatMap((start) => [start - 2, start - 1, start, start + 1]).filter((offset) => offset >= 0);
}
