import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { updateContent } from '../../src/content/update.ts';
import { listContent } from '../../src/lists/list.ts';
import { READ_ONCE } from '../../src/store/id-set.ts';
import { onEveryEngine, sqlite, type TestEngine } from '../support/engines.ts';
import { insertItemsOfCategory, reverseUnordered } from '../support/gated-operations.ts';
import { execute } from '../support/postgres.ts';
import { newCaller, newDatabase, openStoreOn, WITH_TEST_OPERATIONS } from '../support/store.ts';

/** Rows that one write inserts in time on a busy machine. */
const STEP = 5_000;

onEveryEngine('The order of filtered lists', (engine) => {
  it('A filtered list is in the order of ids on each page while items change, however many match', async (t) => {
    const store = await openDisorderly(t, engine);
    const caller = await newCaller(store);
    // A row that is changed is written anew behind the others, where the engine keeps versions of rows.
    const change = async (id: number) => {
      await store.write(updateContent, { id, caller, columns: { title: `changed ${id}` }, now: 1 });
    };
    const list = (page: number, per_page = 5) =>
      store.read(listContent, { keyword: '', category: 'c', page, per_page });
    const most = READ_ONCE[engine === sqlite ? 'sqlite' : 'postgres'];
    let inserted = 0;
    const insertUpTo = async (count: number) => {
      while (inserted < count) {
        const some = Math.min(count - inserted, STEP);
        const row = { author: caller.userId, count: some, category: 'c' };
        await store.write(insertItemsOfCategory, row);
        inserted += some;
      }
    };
    for (const count of [300, most, most + 500]) {
      await insertUpTo(count);
      const last = Math.ceil(count / 5);
      for (const page of [1, 2, Math.ceil(last / 2), last - 1, last]) {
        const expected = Array.from({ length: 5 }, (_, index) => (page - 1) * 5 + index + 1);
        await Promise.all([change(expected[1] ?? 0), change(expected[3] ?? 0)]);
        const found = await list(page);
        assert.deepEqual([found.total, found.items.map(({ id }) => id)], [count, expected], `page ${page}`);
      }
      const beyond = await list(last + 1);
      assert.deepEqual([beyond.total, beyond.items], [count, []]);
    }
  });
});

/** A store on a database that gives in another order whatever it is not asked to order. */
async function openDisorderly(t: TestContext, engine: TestEngine) {
  const database = await newDatabase(t, engine);
  if (database.kind === 'postgres') {
    const name = new URL(database.url).pathname.slice(1);
    for (const scan of ['indexscan', 'indexonlyscan'])
      await execute(database.url, `alter database ${name} set enable_${scan} = off`);
  }
  const store = await openStoreOn(t, database, WITH_TEST_OPERATIONS);
  if (database.kind === 'sqlite') await store.read(reverseUnordered, null);
  return store;
}
