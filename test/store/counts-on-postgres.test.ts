// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { listContent } from '../../src/lists/list.ts';
import { sumUpCounts } from '../../src/store/postgres/counts.ts';
import { kyselyOnClient } from '../../src/store/postgres/dialect.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { newCaller } from '../support/store.ts';

const EVERYTHING = { keyword: '', category: '', page: 1, per_page: 1 };

describe('Totals on PostgreSQL', () => {
  it('Totals are exact at every moment while several instances insert, delete and add up', async (t) => {
    const url = await newMigratedDatabase();
    const stores = await Promise.all([1, 2].map(() => openInstance(url, 8)));
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const [one, other] = stores;
    assert.ok(one && other);
    const caller = await newCaller(one);
    const item = { title: 't', content: '', ...BARE_ITEM, ...caller, now: 0 };

    let writing = true;
    const writers = Array.from({ length: 12 }, async (_, index) => {
      const store = index % 2 === 0 ? one : other;
      const kept: number[] = [];
      for (let round = 0; round < 60; round++) {
        kept.push((await store.write(createContent, item)).id);
        const removed = round % 3 === 0 ? kept.shift() : undefined;
        if (removed !== undefined)
          await store.write(deleteContent, { id: removed, caller, now: 1, isForGood: removed % 2 === 0 });
      }
      return kept.length;
    });
    const done = Promise.all(writers).finally(() => {
      writing = false;
    });
    const watching = watchExactness(url, () => writing);
    const adding = addUpAllTheTime(url, () => writing);
    const kept = (await done).reduce((sum, each) => sum + each, 0);
    await adding;
    const { looks, sums } = await watching;
    t.diagnostic(`${looks} looks, ${sums} of them saw that more was summed`);
    assert.ok(looks > 20 && sums > 5);
    assert.equal((await other.read(listContent, EVERYTHING)).total, kept);
  });

  it('Totals stay exact when several instances add everything up', async (t) => {
    const url = await newMigratedDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openInstance(url, 2)));
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const insert = `insert into users (username, username_key, email, email_key, password_hash, created_at)
      select 'u' || i, 'u' || i, 'e' || i, 'e' || i, '', 0 from generate_series(1, 9000) as i`;
    await execute(url, insert);
    await execute(url, 'delete from users where id % 3 = 0');
    const elapsed = stopwatch();
    while ((await changesLeft(url, 'users')) > 0 && elapsed() < 10_000) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(await changesLeft(url, 'users'), 0);
    const [row] = await execute<{ total: number }>(
      url,
      'select sum(rows)::int as total from users_bucket_sums',
    );
    assert.equal(row?.total, 6000);
  });
});

/** Compares, in one statement each time, what is counted with what is there. */
async function watchExactness(url: string, goesOn: () => boolean) {
  const client = await connect(url);
  let [looks, sums, before] = [0, 0, 0];
  while (goesOn()) {
    const { rows } = await client.query(`select
      (select coalesce(sum(rows), 0) from content_buckets)::int as counted,
      (select rows from content_total)::int as total,
      (select count(*) from visible_content)::int as there,
      (select coalesce(sum(rows), 0) from content_bucket_sums)::int as summed`);
    assert.equal(rows[0].counted, rows[0].there);
    assert.equal(rows[0].total, rows[0].there);
    if (rows[0].summed !== before) sums++;
    before = rows[0].summed;
    looks++;
  }
  await client.end();
  return { looks, sums };
}

/** What every instance does each second, without its pause. */
async function addUpAllTheTime(url: string, goesOn: () => boolean): Promise<void> {
  const client = await connect(url);
  while (goesOn()) await sumUpCounts(kyselyOnClient(client), ['content']);
  await client.end();
}

async function changesLeft(url: string, table: string): Promise<number> {
  const [row] = await execute<{ count: number }>(url, `select count(*)::int from ${table}_bucket_changes`);
  return row?.count ?? 0;
}
