import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { indexQueuedContent } from '../../src/content/index-words.ts';
import { updateContent } from '../../src/content/update.ts';
import { openStore } from '../../src/open-store.ts';
import { connect, execute, newPostgresDatabase } from '../support/postgres.ts';
import { newCaller } from '../support/store.ts';

describe('Indexing content on PostgreSQL', () => {
  it('beside changes and deletions of the same items keeps each once, as it is, and never deadlocks', async (t) => {
    const url = await newPostgresDatabase();
    const store = await openStore({ kind: 'postgres', url, poolSize: 10 }, { notice: () => {} });
    t.after(() => store.close());
    const caller = await newCaller(store);
    const item = { title: 't', content: 'first', category: '', tags: '[]', ...caller, now: 0 };
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await store.write(createContent, item)).id),
    );
    let isChanging = true;
    const rounds = (async () => {
      while (isChanging) await store.write(indexQueuedContent, null);
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
    while (await store.write(indexQueuedContent, null));
    const [row] = await execute<{ searchable: number; last: number; items: number; deadlocks: number }>(
      url,
      `select (select count(*)::int from content_search) as searchable,
        (select count(*)::int from content_search where words = 't | round 19') as last,
        (select count(*)::int from content) as items,
        (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks`,
    );
    assert.deepEqual(row, { searchable: 30, last: 30, items: 30, deadlocks: 0 });
  });

  it('leaves an item that somebody has locked in the queue, goes on with the others, and comes back to it', async (t) => {
    const url = await newPostgresDatabase();
    const store = await openStore({ kind: 'postgres', url, poolSize: 4 }, { notice: () => {} });
    t.after(() => store.close());
    const item = { title: 't', content: 'c', category: '', tags: '[]', ...(await newCaller(store)), now: 0 };
    const ids: number[] = [];
    for (let each = 0; each < 5; each++) ids.push((await store.write(createContent, item)).id);
    const holder = await connect(url);
    t.after(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from content where id = $1 for update', [ids[2]]);
    const idsIn = async (table: string) =>
      (await execute<{ id: number }>(url, `select content_id::int as id from ${table} order by 1`)).map(
        ({ id }) => id,
      );
    assert.equal(
      await store.write(indexQueuedContent, null),
      false,
      'nothing is left that could be done now',
    );
    const others = ids.filter((id) => id !== ids[2]);
    assert.deepEqual(
      [await idsIn('content_search'), await idsIn('content_search_queue')],
      [others, [ids[2]]],
    );
    assert.equal(await store.write(indexQueuedContent, null), false);
    await holder.query('rollback');
    await store.write(indexQueuedContent, null);
    assert.deepEqual([await idsIn('content_search'), await idsIn('content_search_queue')], [ids, []]);
  });
});
