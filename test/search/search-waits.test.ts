import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { listContent } from '../../src/lists/list.ts';
import { FAR_BEHIND, indexProgress, indexQueuedContent, whenIndexed } from '../../src/search/index-words.ts';
import { searchInTurn } from '../../src/search/search-in-turn.ts';
import type { ReadOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { BARE_ITEM, manyItems } from '../support/bare-item.ts';
import { onEveryEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { newCaller, openTestStore } from '../support/store.ts';

const SEARCH = { keyword: 'word', category: '', page: 1, per_page: 20, highlights: false };
/** A search looks once at its beginning, and then every 10 ms for a second at most. */
const MOST_LOOKS = 100;
const LONG = 'long '.repeat(20_000);

const found = (store: Store, query: typeof SEARCH & { author?: number } = SEARCH) =>
  searchInTurn(store, listContent, query, (search) => search());

onEveryEngine('A search by words', (engine) => {
  it('A search by words waits until earlier writes are indexed, and finds them', async (t) => {
    const { store, create, whenLooked } = await opened(t, engine);
    await create();
    const search = found(store);
    const goOn = await whenLooked(2);
    while (await store.write(indexQueuedContent, null));
    goOn();
    assert.equal((await search).total, 1);
  });

  it('A search by words does not wait for writes that come after it began', async (t) => {
    const { store, create, whenLooked, looks } = await opened(t, engine);
    await create();
    const search = found(store);
    const goOn = await whenLooked(2);
    await Promise.all(Array.from({ length: 4 }, () => create(LONG, 'other')));
    // No round has room for all of them, so this one leaves some in the queue.
    assert.equal(await store.write(indexQueuedContent, null), true);
    const before = looks();
    goOn();
    assert.equal((await search).total, 1);
    assert.ok(looks() <= before + 2, `${looks()} looks, ${before} before`);
  });

  it('A search by words uses the index as it is when nobody has indexed the rest for a second', async (t) => {
    const { store, create, looks } = await opened(t, engine);
    await create();
    while (await store.write(indexQueuedContent, null));
    await create();
    const began = performance.now();
    const { total, lag } = await found(store);
    const waited = performance.now() - began;
    assert.deepEqual({ total, lag }, { total: 1, lag: 1 });
    assert.ok(waited >= 1_000, `it waited for ${waited} ms`);
    assert.ok(looks() >= 2 && looks() <= MOST_LOOKS + 1, `${looks()} looks`);
  });

  it('A search by words does not wait for what an earlier one waited for in vain, until the index has that', async (t) => {
    const { store, create, whenLooked, looks } = await opened(t, engine);
    await create();
    await create();
    assert.equal((await found(store)).lag, 2);
    const before = looks();
    assert.equal((await found(store)).lag, 2);
    assert.equal(looks(), before + 1);
    while (await store.write(indexQueuedContent, null));
    await create();
    const looked = whenLooked(looks() + 2);
    const search = found(store);
    const goOn = await looked;
    while (await store.write(indexQueuedContent, null));
    goOn();
    assert.deepEqual(await search.then(({ total, lag }) => ({ total, lag })), { total: 3, lag: 0 });
  });

  it('A search by words does not wait for an index far behind, and says how many changes it lacks', async (t) => {
    const { store, createMany, whenLooked, looks } = await opened(t, engine);
    await createMany(FAR_BEHIND + 1);
    const { total, lag } = await found(store);
    assert.deepEqual({ total, lag, looks: looks() }, { total: 0, lag: FAR_BEHIND + 1, looks: 1 });
    // With fewer left, searches wait again.
    await store.write(indexQueuedContent, null);
    const looked = whenLooked(looks() + 2);
    const search = found(store);
    const goOn = await looked;
    while (await store.write(indexQueuedContent, null));
    goOn();
    const then = await search;
    assert.deepEqual({ total: then.total, lag: then.lag }, { total: FAR_BEHIND + 1, lag: 0 });
  });

  it('Searches that wait look at the index together', async (t) => {
    const { store, create, whenLooked, looks } = await opened(t, engine);
    await create();
    // Each by itself would look at least once.
    const searches = Array.from({ length: 2 * MOST_LOOKS }, () => whenIndexed(store));
    const goOn = await whenLooked(searches.length + 1);
    while (await store.write(indexQueuedContent, null));
    goOn();
    await Promise.all(searches);
    assert.ok(looks() - searches.length <= MOST_LOOKS, `${looks()} looks`);
  });

  it('A search without words waits for nothing', async (t) => {
    const { store, create, looks } = await opened(t, engine);
    await create();
    assert.equal((await found(store, { ...SEARCH, keyword: '', author: 1 })).total, 1);
    assert.equal(looks(), 0);
  });
});

/**
 * A store without the job that indexes, whose looks into the queue are counted. `whenLooked` resolves when that look
 * begins, with what lets it go on. Until then the search does not give up, however long the index takes.
 */
async function opened(t: TestContext, engine: TestEngine) {
  const same = await sameDatabase(t, engine);
  const inner = await openTestStore(t, same);
  // The thread that indexes takes its time to start.
  await inner.write(indexQueuedContent, null);
  let looks = 0;
  const held = new Map<number, (goOn: () => void) => void>();
  const read = async <Input, Output>(operation: ReadOperation<Input, Output>, input: Input) => {
    if (operation.name === indexProgress.name) {
      looks++;
      // A search that never stops to look would make the test wait for ever.
      if (looks > 4 * MOST_LOOKS) throw new Error(`The search has looked ${looks} times.`);
      const begin = held.get(looks);
      if (begin) await new Promise<void>(begin);
    }
    return inner.read(operation, input);
  };
  const store: Store = {
    read,
    write: (operation, input) => inner.write(operation, input),
    onWrite: (listener) => inner.onWrite(listener),
    onAnnouncement: (listener) => inner.onAnnouncement(listener),
    readings: () => inner.readings(),
    measure: () => inner.measure(),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
  const caller = await newCaller(store);
  const item = { ...BARE_ITEM, ...caller, now: 0 };
  return {
    store,
    looks: () => looks,
    create: (content = '', title = 'word') => store.write(createContent, { ...item, title, content }),
    /** By one statement, which takes a tenth of the time of as many writes. */
    createMany: async (count: number) =>
      execOn(await same.settings(t), manyItems(caller.userId, { count, title: 'word', content: '' })),
    whenLooked: (count: number) =>
      new Promise<() => void>((begin) => {
        held.set(count, begin);
      }),
  };
}
