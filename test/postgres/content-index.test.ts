import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { openStore } from '../../src/open-store.ts';
import { indexContent } from '../support/operations.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { newCaller } from '../support/store.ts';

describe('Indexing content on PostgreSQL', () => {
  it('beside changes and deletions of the same items keeps each once, as it is, and never deadlocks', async (t) => {
    const url = await newPostgresDatabase();
    const store = await openStore({ kind: 'postgres', url, poolSize: 10 }, { notice: () => {} });
    t.after(() => store.close());
    const caller = await newCaller(store);
    const item = { title: 't', content: 'first', category: '', tags: [], caller, now: 0 };
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await store.write(createContent, item)).id),
    );
    let isChanging = true;
    const rounds = (async () => {
      while (isChanging) await store.write(indexContent, null);
    })();
    await Promise.all(
      ids.map(async (id, index) => {
        for (let round = 0; round < 20; round++) {
          await store.write(updateContent, { id, caller, change: { content: `round ${round}` }, now: 1 });
        }
        if (index % 4 === 0) await store.write(deleteContent, { id, caller, now: 1 });
      }),
    );
    isChanging = false;
    await rounds;
    const [row] = await execute<{ searchable: number; last: number; items: number; deadlocks: number }>(
      url,
      `select (select count(*)::int from content_searchable) as searchable,
        (select count(*)::int from content_searchable join content on id = content_id
         where content_searchable.content = 'round 19') as last,
        (select count(*)::int from content) as items,
        (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks`,
    );
    assert.deepEqual(row, { searchable: 30, last: 30, items: 30, deadlocks: 0 });
  });

  it('goes on by itself after the writes, until nothing waits', async (t) => {
    const url = await newPostgresDatabase();
    const store = await openStore({ kind: 'postgres', url, poolSize: 10 }, { notice: () => {} });
    t.after(() => store.close());
    const caller = await newCaller(store);
    const item = { title: 't', content: 'c', category: '', tags: [], caller, now: 0 };
    await Promise.all(Array.from({ length: 300 }, () => store.write(createContent, item)));
    const state = async () => {
      const [row] = await execute<{ waiting: number; indexed: number }>(
        url,
        `select (select count(*)::int from content_unindexed) as waiting, (select count(*)::int from content_search) as indexed`,
      );
      return row;
    };
    const deadline = performance.now() + 10_000;
    while ((await state())?.waiting !== 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual(await state(), { waiting: 0, indexed: 300 });
  });
});
