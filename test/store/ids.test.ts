import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAccount } from '../../src/auth/register.ts';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { onEveryEngine } from '../support/engines.ts';
import { ADA, newDatabase, openStoreOn } from '../support/store.ts';

onEveryEngine('Ids of content', (engine) => {
  it('are never used again, not even that of the newest item, and not after a restart', async (t) => {
    const database = await newDatabase(t, engine);
    const first = await openStoreOn(t, database);
    const author = await first.write(createAccount, ADA);
    const item = { title: 't', content: '', category: '', tags: [], author, now: 0 };
    const caller = { userId: author.id, role: 'member' } as const;
    const seen: number[] = [];
    for (let round = 0; round < 5; round++) {
      const store = await openStoreOn(t, database);
      const { id } = await store.write(createContent, item);
      seen.push(id);
      await store.write(deleteContent, { id, caller });
    }
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(seen).size, seen.length);
  });
});
