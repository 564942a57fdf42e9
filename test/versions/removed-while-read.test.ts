// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { createContent } from '../../src/content/create.ts';
import { updateContent } from '../../src/content/update.ts';
import { findDraft } from '../../src/drafts/find.ts';
import { saveDraft } from '../../src/drafts/save.ts';
import { type ReadOperation, readOperation } from '../../src/store/operation.ts';
import { exportVersions } from '../../src/versions/personal-data.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { outcomeOf } from '../support/during.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { newCaller, openStoreOn } from '../support/store.ts';

it('An export passes over an earlier version that is removed while its page is read', async (t) => {
  const { store, url, caller, id } = await withItem(t);
  for (const content of ['two', 'three'])
    await store.write(updateContent, { id, caller, columns: { content }, now: 1 });
  // Of the items, of their versions, and of the first version.
  const exporting = interrupted(exportVersions, 2, () => execute(url, 'delete from content_versions'));
  const input = { userId: caller.userId, after: [1, 0, 0], now: 1 };
  assert.deepEqual((await store.read(exporting, input)).items, []);
});

it('A draft whose item is moved to the trash while the draft is read is not found', async (t) => {
  const { store, url, caller, id } = await withItem(t);
  const none = { onlyIf: { item: undefined, draft: undefined }, over: undefined, publishAt: undefined };
  await store.write(saveDraft, { id, caller, columns: { title: 'two' }, ...none, now: 1 });
  // Of the item, of the draft, and of what the two make.
  const reading = interrupted(findDraft, 2, () =>
    execute(url, 'update content set trashed_at = 1, visible = 0'),
  );
  assert.equal(await outcomeOf(store.read(reading, { id, userId: caller.userId })), 'not_found');
});

/** A store with an item of the caller. */
async function withItem(t: TestContext) {
  const url = await newMigratedDatabase();
  const database = { kind: 'postgres', url, poolSize: 4 } as const;
  const store = await openStoreOn(t, database);
  const caller = await newCaller(store);
  const item = { title: 't', content: 'one', ...BARE_ITEM, ...caller, now: 0 };
  const { id } = await store.write(createContent, item);
  return { store, url, caller, id };
}

/** The same operation, in which another transaction is made after so many statements. */
function interrupted<Input, Output>(
  operation: ReadOperation<Input, Output>,
  statements: number,
  act: () => Promise<unknown>,
): ReadOperation<Input, Output> {
  let made = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (++made === statements) await act();
      return result;
    },
  };
  return readOperation(`${operation.name}, interrupted`, (db, input: Input, engine) =>
    operation.run(db.withPlugin(plugin), input, engine),
  );
}
