import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { create, createNumbered, type NewItem } from '../../src/content/create.ts';
import type { Store } from '../../src/store/store.ts';
import { onEveryEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { newCaller, openTestStore } from '../support/store.ts';

const ALL = new URL('../../src/operations.ts', import.meta.url).href;
const AT_ONCE = 8;
const ROUNDS = 100;

onEveryEngine('Numbers of slugs', (engine) => {
  it('Two processes that create items of one title at the same time seldom need a second write for a slug', async (t) => {
    const { processes, caller, seconds } = await start(t);
    const slugs = new Set<string | null>();
    // Each goes on as soon as it is answered, so that neither waits for the other.
    const loops = processes.flatMap((store) =>
      Array.from({ length: AT_ONCE }, async () => {
        for (let round = 0; round < ROUNDS; round++) slugs.add((await create(store, itemOf(caller))).slug);
      }),
    );
    await Promise.all(loops);
    const items = loops.length * ROUNDS;
    assert.equal(slugs.size, items);
    assert.ok(seconds() < items / 3, `${seconds()} of ${items}`);
  });

  it('One process numbers the items of a title without a gap', async (t) => {
    const { processes, caller } = await start(t);
    const [store] = processes;
    assert.ok(store);
    const slugs: (string | null)[] = [];
    for (let round = 0; round < 20; round++) slugs.push((await create(store, itemOf(caller))).slug);
    assert.deepEqual(
      slugs,
      slugs.map((_, index) => (index === 0 ? 'news' : `news-${index + 1}`)),
    );
  });

  /** Two processes are two stores for what a process remembers. Here they are of one database. */
  async function start(t: TestContext) {
    const store = await openTestStore(t, engine, { operationsUrl: ALL });
    const { userId, sessionId } = await newCaller(store);
    let seconds = 0;
    const processOf = (): Store => ({
      ...observed(store, {}),
      write: (operation, input) => {
        if (operation.name === createNumbered.name) seconds++;
        return store.write(operation, input);
      },
    });
    const caller: NewItem['caller'] = {
      userId,
      sessionId,
      username: 'ada',
      scope: null,
      hasSecondFactor: false,
    };
    return { processes: [processOf(), processOf()], caller, seconds: () => seconds };
  }
});

function itemOf(caller: NewItem['caller']): NewItem {
  return { caller, now: 1, item: { title: 'News', content: '' } };
}
