import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { onEveryEngine } from '../support/engines.ts';
import { newCaller, newDatabase, openStoreOn } from '../support/store.ts';

onEveryEngine('Ids of content', (engine) => {
  it('An id of content is never used again, not even after a restart', async (t) => {
    const database = await newDatabase(t, engine);
    const first = await openStoreOn(t, database);
    const caller = await newCaller(first);
    const item = { title: 't', content: '', ...BARE_ITEM, ...caller, now: 0 };
    const seen: number[] = [];
    for (let round = 0; round < 3; round++) {
      const store = await openStoreOn(t, database);
      const { id } = await store.write(createContent, item);
      seen.push(id);
      await store.write(deleteContent, { id, caller, now: 1, isForGood: true });
    }
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(seen).size, seen.length);
  });
});
