// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createContent, createNumbered, newRow } from '../../src/content/create.ts';
import { ROW_LIMITS } from '../../src/domain/limits.ts';
import { publishDue } from '../../src/drafts/publish-due.ts';
import { saveDraft } from '../../src/drafts/save.ts';
import { during, outcomeOf } from '../support/during.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

const LATER = Date.UTC(2100, 0, 1);

async function authorOnPostgres(t: TestContext) {
  const url = await newMigratedDatabase();
  const store = await openInstance(url);
  t.after(() => store.close());
  const caller = await newCaller(store);
  const make = async (status: 'draft' | 'published') => {
    const row = { ...newRow({ title: 't', content: 'c', status }), slug: null };
    return (await store.write(createContent, { ...row, ...caller, now: 1 })).id;
  };
  return { url, store, caller, make };
}

it('Of two drafts that get a time at once where one more may have one, one gets it', async (t) => {
  const { url, store, caller, make } = await authorOnPostgres(t);
  const numbers = `generate_series(2, ${ROW_LIMITS.scheduledDrafts})`;
  await execute(
    url,
    `insert into content (author_id, title, content, category, tags, version, created_at, updated_at, status, visible, publish_at)
      select ${caller.userId}, 't', '', '', '[]', 1, 0, 0, 'draft', 0, ${LATER} from ${numbers}`,
  );
  const row = { ...newRow({ title: 't', content: '', status: 'draft' }), publish_at: LATER };
  const create = () => outcomeOf(store.write(createNumbered, { row, caller, now: 1 }));
  // Each has counted what waits before it meets this lock.
  const items = await during(url, ['lock table content in share mode'], 2, () => [create(), create()]);
  assert.deepEqual(items.toSorted(), ['done', 'limit_reached']);

  const ids = [await make('published'), await make('published')];
  await execute(
    url,
    `insert into content (author_id, title, content, category, tags, version, created_at, updated_at)
      select ${caller.userId}, 'beside', '', '', '[]', 1, 0, 0 from ${numbers}`,
  );
  await execute(
    url,
    `insert into content_drafts (content_id, version, over_version, written, publish_at, saved_at, saved_by)
      select id, 1, 1, '{}', ${LATER}, 0, ${caller.userId} from content where title = 'beside'`,
  );
  const input = { columns: { title: 'u' }, publishAt: LATER, onlyIf: { item: undefined, draft: undefined } };
  const save = (id: number) =>
    outcomeOf(store.write(saveDraft, { ...input, id, over: undefined, caller, now: 1 }));
  const besides = await during(url, ['lock table content_drafts in share mode'], 2, () => ids.map(save));
  assert.deepEqual(besides.toSorted(), ['done', 'limit_reached']);
});

it('A due draft stays one where its author is disabled, or its time changed, at the same moment', async (t) => {
  const { url, store, caller, make } = await authorOnPostgres(t);
  const { userId: authorId } = caller;
  const publish = (id: number) => outcomeOf(store.write(publishDue, { id, authorId, past: undefined }));
  for (const changeOf of [
    (id: number) => `update content set publish_at = ${LATER} where id = ${id}`,
    () => `update users set disabled_at = 1 where id = ${authorId}`,
  ]) {
    const id = await make('draft');
    await execute(url, `update content set publish_at = 1 where id = ${id}`);
    assert.deepEqual(await during(url, [changeOf(id)], 1, () => [publish(id)]), ['done']);
    assert.deepEqual(await execute(url, `select status from content where id = ${id}`), [
      { status: 'draft' },
    ]);
  }
});
