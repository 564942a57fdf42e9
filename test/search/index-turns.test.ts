import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { listContent } from '../../src/lists/list.ts';
import {
  indexProgress,
  indexQueuedContent,
  indexWaiting,
  whenIndexed,
} from '../../src/search/index-words.ts';
import { BARE_ITEM, manyItems } from '../support/bare-item.ts';
import { onEveryEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { execOn } from '../support/place.ts';
import { ADA, newCaller, openTestStore } from '../support/store.ts';

/** No other text fits into a round with one of these. */
const LONG = 'walnut '.repeat(20_000);
const BYRON = { ...ADA, username: 'byron', email: 'byron@example.org' };

onEveryEngine('The turns in which new content is indexed', (engine) => {
  it('Long texts of one author keep no new item of another author from being found', async (t) => {
    const { store, createAs, found, rounds } = await opened(t, engine);
    for (let each = 0; each < 12; each++) await createAs.ada(LONG);
    for (let each = 0; each < 5; each++) {
      const before = await found('walnut');
      await createAs.byron(`almond${each}`);
      await rounds(1);
      assert.deepEqual([await found(`almond${each}`), await found('walnut')], [1, before]);
      await rounds(1);
      assert.equal(await found('walnut'), before + 1);
    }
    assert.equal(await whenIndexed(store), 7, 'a search says how much it lacks');
    const { waiting, indexed, last } = await store.read(indexProgress, null);
    assert.deepEqual([waiting, indexed < last], [7, true]);
    while (await store.write(indexQueuedContent, null));
    assert.deepEqual([await found('walnut'), await whenIndexed(store)], [12, 0]);
  });

  it('Many texts of one author keep no new item of another author from being found', async (t) => {
    const { createAs, many, found, rounds } = await opened(t, engine);
    await many(200, 'walnut '.repeat(600));
    await createAs.byron('almond');
    await rounds(1);
    const first = await found('walnut');
    assert.ok(first > 0 && first < 200, `${first} are found`);
    assert.equal(await found('almond'), 1);
  });

  it('Three hundred long texts of one author keep no new item of another author waiting for more than one round', async (t) => {
    const { createAs, many, found, rounds } = await opened(t, engine);
    await many(300, LONG);
    await createAs.byron('almond');
    await rounds(1);
    assert.deepEqual([await found('almond'), await found('walnut')], [1, 0]);
  });

  it('More texts than a round looks at keep no new item of another author waiting, also after a restart', async (t) => {
    const same = await sameDatabase(t, engine);
    const { store, createAs, many, itemOfByron, found, rounds } = await opened(t, same);
    await many(897, 'walnut '.repeat(600));
    for (let each = 1; each <= 3; each++) {
      await createAs.byron('almond');
      await createAs.ada('walnut '.repeat(600));
      await rounds(1);
      assert.equal(await found('almond'), each);
    }
    const { waiting } = await store.read(indexProgress, null);
    assert.equal(waiting, 900 - (await found('walnut')), 'what waits is counted');
    await store.close();
    const again = await openTestStore(t, same);
    await again.write(createContent, { ...itemOfByron, content: 'almond' });
    await again.write(indexQueuedContent, null);
    const foundAgain = foundIn(again);
    assert.equal(await foundAgain('almond'), 4);
    while (await again.write(indexQueuedContent, null));
    assert.deepEqual([await foundAgain('almond'), await foundAgain('walnut')], [4, 900]);
    assert.equal(await whenIndexed(again), 0);
  });

  it('A search waits for a new item although one has waited in vain for long texts of another author', async (t) => {
    const { store: inner, createAs, many, found, rounds } = await opened(t, engine);
    const [looksAgain, isIndexed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [looks, isHeld] = [0, false];
    const before = (name: string) => {
      if (name !== indexProgress.name || ++looks !== 2 || !isHeld) return;
      looksAgain.resolve();
      return isIndexed.promise;
    };
    const store = observed(inner, { before });
    await many(5, LONG);
    assert.equal(await whenIndexed(store), 5, 'it waits in vain');
    await createAs.byron('almond');
    [looks, isHeld] = [0, true];
    const search = whenIndexed(store);
    await Promise.race([search, looksAgain.promise]);
    await rounds(1);
    isIndexed.resolve();
    assert.deepEqual([await search, await found('almond'), looks], [5, 1, 2]);
    isHeld = false;
    await createAs.ada(LONG);
    looks = 0;
    assert.equal(await whenIndexed(store), 6);
    assert.equal(looks, 2, 'it does not wait for a text that is not next');
  });

  it('A long text is indexed at last, also while new short ones never stop', async (t) => {
    const { store, createAs, found } = await opened(t, engine);
    await createAs.ada(LONG);
    for (let round = 0; (await found('walnut')) === 0; round++) {
      assert.ok(round < 100, `${round} rounds had others only`);
      await createAs.byron('almond');
      await indexWaiting(store);
    }
  });

  it('Texts that were passed over are found after a restart, as they were changed or deleted meanwhile', async (t) => {
    const same = await sameDatabase(t, engine);
    const { store, createAs, rounds, caller } = await opened(t, same);
    const ids: number[] = [];
    for (let each = 0; each < 4; each++) ids.push((await createAs.ada(LONG)).id);
    const [changed, deleted, short] = ids.slice(1);
    await createAs.byron('almond');
    await rounds(1);
    const write = { caller, now: 1 };
    await store.write(updateContent, { ...write, id: Number(changed), columns: { content: `fig ${LONG}` } });
    await store.write(deleteContent, { ...write, id: Number(deleted), isForGood: true });
    await store.write(updateContent, { ...write, id: Number(short), columns: { content: 'fig' } });
    await createAs.byron('almond');
    await rounds(1);
    await store.close();
    const again = await openTestStore(t, same);
    const found = foundIn(again);
    assert.deepEqual([await found('almond'), await found('walnut')], [2, 0]);
    while (await again.write(indexQueuedContent, null));
    assert.deepEqual([await found('almond'), await found('walnut'), await found('fig')], [2, 2, 2]);
    assert.equal(await whenIndexed(again), 0);
  });
});

type Reading = Awaited<ReturnType<typeof openTestStore>>;

/** How many items have the keyword in the index as it is: the search waits for nothing. */
function foundIn(store: Reading) {
  const query = { category: '', page: 1, per_page: 1 };
  return async (keyword: string) => (await store.read(listContent, { ...query, keyword })).total;
}

/** A store without the job that indexes, and two authors. */
async function opened(t: TestContext, engine: TestEngine) {
  const same = await sameDatabase(t, engine);
  const store = await openTestStore(t, same);
  const [ada, byron] = [await newCaller(store), await newCaller(store, BYRON)];
  const item = { ...BARE_ITEM, title: 'title', now: 0 };
  return {
    store,
    caller: ada,
    createAs: {
      ada: (content: string) => store.write(createContent, { ...item, ...ada, content }),
      byron: (content: string) => store.write(createContent, { ...item, ...byron, content }),
    },
    /** Items of ada by one statement, which takes a tenth of the time of as many writes. */
    many: async (count: number, content: string) =>
      execOn(await same.settings(t), manyItems(ada.userId, { count, title: 'title', content })),
    itemOfByron: { ...item, ...byron },
    found: foundIn(store),
    rounds: async (count: number) => {
      for (let each = 0; each < count; each++) await store.write(indexQueuedContent, null);
    },
  };
}
