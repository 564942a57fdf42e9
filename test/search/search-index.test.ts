import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { listContent } from '../../src/lists/list.ts';
import { indexQueuedContent } from '../../src/search/index-words.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { onEveryEngine } from '../support/engines.ts';
import { newCaller, openTestStore } from '../support/store.ts';

onEveryEngine('The search index of content', (engine) => {
  it('The search index follows changes and deletions of indexed items, and other writes continue', async (t) => {
    const store = await openTestStore(t, engine);
    const caller = await newCaller(store);
    const item = { title: 'title', content: 'walnut', ...BARE_ITEM, ...caller, now: 0 };
    const search = async (keyword: string) => {
      const query = { keyword, category: '', page: 1, per_page: 20 };
      return (await store.read(listContent, query)).items.map(({ id }) => id);
    };
    const [first, second, third] = [
      await store.write(createContent, item),
      await store.write(createContent, item),
      await store.write(createContent, item),
    ];
    while (await store.write(indexQueuedContent, null));
    assert.deepEqual(await search('WALNUT'), [first.id, second.id, third.id]);

    await store.write(updateContent, { id: first.id, caller, columns: { content: 'almond' }, now: 1 });
    await store.write(deleteContent, { id: second.id, caller, now: 1, isForGood: false });
    while (await store.write(indexQueuedContent, null));
    assert.deepEqual(await search('walnut'), [third.id]);
    assert.deepEqual(await search('almond'), [first.id]);
    const fourth = await store.write(createContent, item);
    while (await store.write(indexQueuedContent, null));
    assert.deepEqual(await search('walnut'), [third.id, fourth.id]);
  });

  it('The search index takes many changes and deletions in one batch, and later writes continue', async (t) => {
    const store = await openTestStore(t, engine);
    const caller = await newCaller(store);
    const create = () =>
      store.write(createContent, {
        title: 't',
        content: 'walnut',
        ...BARE_ITEM,
        ...caller,
        now: 0,
      });
    for (let round = 0; round < 3; round++) {
      const items = await Promise.all(Array.from({ length: 60 }, create));
      while (await store.write(indexQueuedContent, null));
      const changes = items.map(({ id }, index) =>
        index % 2 === 0
          ? store.write(updateContent, { id, caller, columns: { content: 'almond' }, now: 1 })
          : store.write(deleteContent, { id, caller, now: 1, isForGood: true }),
      );
      await Promise.all([...changes, store.write(indexQueuedContent, null)]);
    }
    while (await store.write(indexQueuedContent, null));
    const query = { category: '', page: 1, per_page: 1 };
    assert.equal((await store.read(listContent, { ...query, keyword: 'almond' })).total, 90);
    assert.equal((await store.read(listContent, { ...query, keyword: 'walnut' })).total, 0);
  });
});
