// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent, newRow } from '../../src/content/create.ts';
import { removeAuthor } from '../../src/content/personal-data.ts';
import { during, outcomeOf } from '../support/during.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

it('An item that is withdrawn while its author is removed is deleted, and not given away', async (t) => {
  const url = await newMigratedDatabase();
  const store = await openInstance(url);
  t.after(() => store.close());
  const caller = await newCaller(store);
  const ids: number[] = [];
  for (const slug of ['withdrawn', 'kept']) {
    const row = { ...newRow({ title: slug, content: 'c' }), slug };
    ids.push((await store.write(createContent, { ...row, ...caller, now: 1 })).id);
  }
  const remove = () => store.write(removeAuthor, { userId: caller.userId, content: 'keep', now: 1 });
  // Between the read of what is not published and the read of what is.
  const withdraw = `update content set status = 'draft', visible = 0, version = 2 where id = ${ids[0]}`;
  await during(url, [withdraw], 1, () => [outcomeOf(remove())]);
  while (await remove());
  const left = await execute(url, 'select id::int, author_id = $1 as is_own from content', [caller.userId]);
  assert.deepEqual(left, [{ id: ids[1], is_own: false }]);
});
