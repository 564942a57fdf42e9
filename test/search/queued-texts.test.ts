import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { SEARCHED } from '../../src/content/fields.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { placeAt } from '../support/place.ts';
import { newCaller, openTestStore } from '../support/store.ts';

onEveryEngine('What enters the queue of the index of words', (anyEngine) => {
  it('A change of each searched text of an item puts the item into the queue of the index', async (t) => {
    const engine = await sameDatabase(t, anyEngine);
    const store = await openTestStore(t, engine);
    const caller = await newCaller(store);
    const item = { title: 't', content: '', ...BARE_ITEM, now: 0 };
    const { id } = await store.write(createContent, { ...item, ...caller });
    const { sql } = placeAt(await engine.settings(t));
    assert.ok(SEARCHED.length >= 2);
    for (const column of SEARCHED) {
      const queued = 'SELECT max(place) AS place FROM content_search_queue';
      const [before] = await sql(queued);
      await sql(`UPDATE content SET ${column} = 'another' WHERE id = ${id} RETURNING id`);
      const [after] = await sql(queued);
      assert.notDeepEqual(after, before, column);
    }
  });
});
