// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent, newRow } from '../../src/content/create.ts';
import { openStore } from '../../src/open-store.ts';
import { outcomeOf } from '../support/during.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { newCaller } from '../support/store.ts';

it('The database refuses a slug that another item had, whichever statement gives it', async (t) => {
  const url = await newPostgresDatabase();
  const store = await openStore({ kind: 'postgres', url, poolSize: 2 }, { notice: () => {} });
  t.after(() => store.close());
  const caller = await newCaller(store);
  const make = (slug: string | null) =>
    store.write(createContent, { ...newRow({ title: 't', content: '' }), ...caller, slug, now: 1 });
  const { id } = await make('now');
  const other = await make('other');
  await execute(url, `insert into content_old_slugs values ('before', ${id}, 1)`);
  const give = (item: number) => execute(url, `update content set slug = 'before' where id = ${item}`);
  await assert.rejects(give(other.id), /reserved/);
  await assert.rejects(
    execute(url, `update content set slug = 'now' where id = ${other.id}`),
    /content_slug/,
  );
  assert.equal(await outcomeOf(make('before')), 'token_revoked');
  await give(id);
});
