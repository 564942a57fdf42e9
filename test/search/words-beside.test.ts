// Needs: PostgreSQL, and a process of its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { createContent } from '../../src/content/create.ts';
import { indexQueuedContent } from '../../src/search/index-words.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import type { Lifetime } from '../support/engines.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

describe('The words of content on PostgreSQL', () => {
  it('Words are made in a thread of their own, and a thread that ends fails only its round', async (t) => {
    const started: Worker[] = [];
    const note = (worker: Worker) => void started.push(worker);
    process.on('worker', note);
    t.after(() => process.off('worker', note));
    const { create, index, words } = await open(t);

    process.once('worker', (worker) => void worker.terminate());
    await create('first');
    await assert.rejects(index(), /The words-thread ended/);
    assert.deepEqual(await words(), []);
    await index();
    assert.deepEqual(await words(), ['t | first']);
    assert.equal(started.length, 2);
    await create('second');
    await index();
    assert.deepEqual(await words(), ['t | first', 't | second']);
    assert.equal(started.length, 2);
  });
});

async function open(t: Lifetime) {
  const url = await newMigratedDatabase();
  const store = await openInstance(url);
  t.after(() => store.close());
  const caller = await newCaller(store);
  return {
    create: (content: string) =>
      store.write(createContent, { title: 't', content, ...BARE_ITEM, ...caller, now: 0 }),
    index: () => store.write(indexQueuedContent, null),
    words: async () => {
      const rows = await execute<{ words: string }>(
        url,
        'select words from content_search order by content_id',
      );
      return rows.map(({ words }) => words);
    },
  };
}
