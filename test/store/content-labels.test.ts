import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { listContent } from '../../src/content/list.ts';
import { updateContent } from '../../src/content/update.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { labelContent } from '../../src/store/sqlite/content-labels.ts';
import { kyselyOn } from '../../src/store/sqlite/dialect.ts';
import { sqliteEngine } from '../../src/store/sqlite/engine.ts';
import { applyMigrations } from '../../src/store/sqlite/migrate.ts';
import { newCaller } from '../support/store.ts';

/** Without threads, so that nothing enters the index but by the rounds that the test asks for. */
async function newDatabase(t: TestContext, fill: (database: DatabaseSync) => Promise<void> = async () => {}) {
  const database = new DatabaseSync(':memory:');
  t.after(() => database.close());
  await fill(database);
  await applyMigrations(database, MIGRATIONS);
  const db = kyselyOn(database);
  const caller = await newCaller({ write: (operation, input) => operation.run(db, input, sqliteEngine) });
  const item = { title: 't', content: '', category: 'news', tags: ['one', 'two'], caller, now: 0 };
  return {
    create: async () => (await createContent.run(db, item, sqliteEngine)).id,
    update: (id: number, change: { category?: string; tags?: string[] }) =>
      updateContent.run(db, { id, caller, change, now: 1 }, sqliteEngine),
    remove: (id: number) => deleteContent.run(db, { id, caller, now: 1 }, sqliteEngine),
    round: () => labelContent(db),
    filter: async (given: { category?: string; tag?: string; author?: number; keyword?: string }) => {
      const query = { keyword: '', category: '', tag: '', ...given, page: 1, per_page: 100 };
      const { items, total } = await listContent.run(db, query, sqliteEngine);
      assert.equal(items.length, Math.min(total, 100));
      return items.map(({ id }) => id);
    },
    authorId: caller.userId,
    labels: () => database.prepare('SELECT count(*) AS rows FROM content_labels').get()?.rows,
  };
}

describe('The index of labels on SQLite', () => {
  it('and the items after it are one list, in order and without repeats, wherever it ends', async (t) => {
    const { create, round, filter, authorId, labels } = await newDatabase(t);
    const ids: number[] = [];
    for (let made = 0; made < 5; made++) {
      ids.push(await create());
      assert.deepEqual(await filter({ tag: 'two' }), ids, `${made} in the index, one after it`);
      ids.push(await create());
      for (const given of [{ tag: 'one' }, { category: 'news' }, { author: authorId }])
        assert.deepEqual(await filter(given), ids);
      assert.deepEqual(await filter({ tag: 'one', category: 'news', author: authorId }), ids);
      assert.deepEqual(await filter({ tag: 'one', category: 'other' }), []);
      assert.equal(await round(), false);
      assert.equal(labels(), ids.length * 4);
    }
  });

  it('follows what happens to an item at once, whether it is in the index or not', async (t) => {
    const { create, update, remove, round, filter, labels } = await newDatabase(t);
    const [indexed, kept, gone] = [await create(), await create(), await create()];
    await round();
    const [waiting, removed] = [await create(), await create()];
    for (const id of [indexed, waiting]) await update(id, { category: 'notes', tags: ['two', 'three'] });
    for (const id of [gone, removed]) await remove(id);
    for (const when of ['before the round', 'after it']) {
      assert.deepEqual(await filter({ category: 'notes' }), [indexed, waiting], when);
      assert.deepEqual(await filter({ category: 'news' }), [kept], when);
      assert.deepEqual(await filter({ tag: 'one' }), [kept], when);
      assert.deepEqual(await filter({ tag: 'two' }), [indexed, kept, waiting], when);
      assert.deepEqual(await filter({ tag: 'three' }), [indexed, waiting], when);
      await round();
    }
    await update(indexed, { category: '', tags: [] });
    assert.deepEqual(await filter({ tag: 'three' }), [waiting]);
    assert.equal(labels(), 1 + 4 + 4, 'nothing is left of what is gone');
  });

  it('has what a database of the version before held, and goes on from there', async (t) => {
    const { create, round, filter, authorId, labels } = await newDatabase(t, async (database) => {
      const before = MIGRATIONS.findIndex(({ name }) => name === '0009_labels');
      await applyMigrations(database, MIGRATIONS.slice(0, before));
      database.exec(`
        INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)
        VALUES (7, 'bob', 'bob', 'bob@example.org', 'bob@example.org', '', 0);
        INSERT INTO content (id, author_id, title, content, category, tags, version, created_at, updated_at)
        VALUES (3, 7, 't', 'walnut', 'news', '["one"]', 1, 0, 0), (5, 7, 't', 'almond', '', '[]', 1, 0, 0);
        INSERT INTO content_tags (tag, content_id) VALUES ('one', 3);
        INSERT INTO content_search (rowid, title, content) VALUES (3, 't', 'walnut');
        INSERT INTO content_unindexed (content_id) VALUES (5)`);
    });
    const fresh = await create();
    for (const when of ['before a round', 'after it']) {
      assert.deepEqual(await filter({ author: 7 }), [3, 5], when);
      assert.deepEqual(await filter({ author: authorId }), [fresh], when);
      assert.deepEqual(await filter({ category: 'news', tag: 'one' }), [3, fresh], when);
      assert.deepEqual(await filter({ keyword: 'walnut' }), [3], when);
      assert.deepEqual(await filter({ keyword: 'almond', author: 7 }), [5], when);
      await round();
    }
    assert.equal(labels(), 4 + 4);
  });

  it('takes a backlog in rounds, until all is in it', async (t) => {
    const { create, round, filter, labels } = await newDatabase(t);
    const ids: number[] = [];
    for (let made = 0; made < 4_200; made++) ids.push(await create());
    assert.equal(await round(), true);
    assert.equal((await filter({ tag: 'one', category: 'news' })).length, 100);
    assert.equal(await round(), false);
    assert.equal(labels(), ids.length * 4);
  });
});
