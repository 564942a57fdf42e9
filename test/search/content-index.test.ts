// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { listContent } from '../../src/lists/list.ts';
import { indexSome } from '../../src/search/index-words.postgres.ts';
import { indexProgress, indexQueuedContent, tidyIndex, whenIndexed } from '../../src/search/index-words.ts';
import type { WriteOperation } from '../../src/store/operation.ts';
import { kyselyOnClient, postgresEngine } from '../../src/store/postgres/dialect.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { call } from '../support/client.ts';
import { postgres } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { newCaller, openStoreOn } from '../support/store.ts';
import { until } from '../support/until.ts';

describe('Indexing content on PostgreSQL', () => {
  it('Indexing during changes and deletions keeps each item once and never deadlocks', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 10 });
    const caller = await newCaller(store);
    const item = { title: 't', content: 'first', ...BARE_ITEM, ...caller, now: 0 };
    const ids = await Promise.all(
      Array.from({ length: 40 }, async () => (await store.write(createContent, item)).id),
    );
    let isChanging = true;
    const rounds = (async () => {
      while (isChanging) await store.write(indexQueuedContent, null);
    })();
    await Promise.all(
      ids.map(async (id, index) => {
        for (let round = 0; round < 20; round++) {
          await store.write(updateContent, { id, caller, columns: { content: `round ${round}` }, now: 1 });
        }
        if (index % 4 === 0)
          await store.write(deleteContent, { id, caller, now: 1, isForGood: index % 8 === 0 });
      }),
    );
    isChanging = false;
    await rounds;
    while (await store.write(indexQueuedContent, null));
    const [row] = await execute<{ searchable: number; last: number; items: number; deadlocks: number }>(
      url,
      `select (select count(*)::int from content_search) as searchable,
        (select count(*)::int from content_search where words = 't | round 19') as last,
        (select count(*)::int from visible_content) as items,
        (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks`,
    );
    assert.deepEqual(row, { searchable: 30, last: 30, items: 30, deadlocks: 0 });
  });

  it('Indexing skips a locked item, indexes the others, and returns to it later', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
    const item = { title: 't', content: 'c', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    const ids: number[] = [];
    for (let each = 0; each < 5; each++) ids.push((await store.write(createContent, item)).id);
    const holder = await connect(url);
    t.after(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from content where id = $1 for update', [ids[2]]);
    const idsIn = async (table: string) =>
      (await execute<{ id: number }>(url, `select content_id::int as id from ${table} order by 1`)).map(
        ({ id }) => id,
      );
    assert.equal(
      await store.write(indexQueuedContent, null),
      false,
      'nothing is left that could be done now',
    );
    const others = ids.filter((id) => id !== ids[2]);
    assert.deepEqual(
      [await idsIn('content_search'), await idsIn('content_search_queue')],
      [others, [ids[2]]],
    );
    assert.equal(await store.write(indexQueuedContent, null), false);
    await holder.query('rollback');
    await store.write(indexQueuedContent, null);
    assert.deepEqual([await idsIn('content_search'), await idsIn('content_search_queue')], [ids, []]);
  });

  it('An item that another write holds for a moment is indexed in the same round, so no search misses it', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
    const item = { title: 't', content: 'c', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    const ids = [await store.write(createContent, item), await store.write(createContent, item)].map(
      ({ id }) => id,
    );
    const [holder, indexing] = [await connect(url), await connect(url)];
    t.after(() => Promise.all([holder.end(), indexing.end()]));
    await holder.query('begin');
    await holder.query('select id from content where id = $1 for update', [ids[0]]);
    await indexing.query('begin');
    await indexSome(kyselyOnClient(indexing), postgresEngine, 'arrival', () => holder.query('commit'));
    await indexing.query('commit');
    const left = 'select content_id::int as id from content_search_queue';
    const indexed = 'select content_id::int as id from content_search order by 1';
    assert.deepEqual(await execute(url, left), []);
    assert.deepEqual(
      (await execute<{ id: number }>(url, indexed)).map(({ id }) => id),
      ids,
    );
  });

  it('An item that is changed all the time keeps no other item out of the index, and no search waiting', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
    const item = { title: 't', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    // One whose text fills a round, and one whose changes do.
    const long = await store.write(createContent, { ...item, content: 'long '.repeat(30_000) });
    const busy = await store.write(createContent, { ...item, content: 'busy' });
    await execute(
      url,
      `insert into content_search_queue (content_id) select ${busy.id} from generate_series(1, 200)`,
    );
    const { id } = await store.write(createContent, { ...item, content: 'other' });
    const holder = await connect(url);
    t.after(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from content where id <> $1 for update', [id]);
    // The search looks again when the rounds are over, so that it does not give up before.
    const [waits, isIndexed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let looks = 0;
    const before = (name: string) => {
      if (name !== indexProgress.name || looks++ === 0) return;
      waits.resolve();
      return isIndexed.promise;
    };
    const lag = whenIndexed(observed(store, { before }));
    await waits.promise;
    for (let round = 0; round < 5; round++) await store.write(indexQueuedContent, null);
    isIndexed.resolve();
    assert.equal(await lag, 0, 'a search that began before has not waited in vain');
    const idsIn = (table: string) =>
      execute<{ id: number }>(url, `select content_id::int as id from ${table} order by 1`);
    assert.deepEqual(await idsIn('content_search'), [{ id }]);
    assert.deepEqual(await idsIn('content_search_queue'), [{ id: long.id }, { id: busy.id }]);
    await holder.query('rollback');
    while (await store.write(indexQueuedContent, null));
    assert.equal((await idsIn('content_search')).length, 3);
  });

  it('Indexing stores no words of an item that is hidden while its words are made', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
    const item = { title: 't', content: 'c', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    const { id } = await store.write(createContent, item);
    const hider = await connect(url);
    t.after(() => hider.end());
    await hider.query('begin');
    // The words are made, and then wait for this.
    await hider.query('lock table content_search in share mode');
    const round = store.write(indexQueuedContent, null);
    await waitingFor(url, `relation = 'content_search'::regclass`);
    await hider.query('update content set visible = 0 where id = $1', [id]);
    await hider.query('commit');
    await round;
    await store.write(indexQueuedContent, null);
    assert.deepEqual(await execute(url, 'select content_id from content_search'), []);
    assert.deepEqual(await execute(url, 'select place from content_search_queue'), []);
  });

  it('An item cannot be hidden between its words and the commit, so words of hidden items are gone', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
    const item = { title: 't', content: 'c', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    const { id } = await store.write(createContent, item);
    const [holder, hider] = [await connect(url), await connect(url)];
    t.after(() => Promise.all([holder.end(), hider.end()]));
    await holder.query('begin');
    // The words are put, and then wait for this.
    await holder.query('lock table content_search_queue in share mode');
    const round = store.write(indexQueuedContent, null);
    await waitingFor(url, `relation = 'content_search_queue'::regclass`);
    const hidden = hider.query('update content set visible = 0 where id = $1', [id]);
    await Promise.race([hidden, waitingFor(url, `locktype = 'transactionid'`)]);
    await holder.query('commit');
    await Promise.all([round, hidden]);
    assert.deepEqual(await execute(url, 'select content_id from content_search'), []);
  });

  it('New words are moved into the index by a job, and a search finds them before and after', async (t) => {
    const settings = await postgres.settings(t);
    const on = { ...postgres, settings: async () => settings };
    const { url, store } = await startService(t, on, {}, { clock: () => 0 });
    const caller = await newCaller(store);
    const item = { title: 't', content: 'almond', ...BARE_ITEM, ...caller, now: 0 };
    const total = async () => (await call(url, 'GET', '/api/content?keyword=almond')).body.data.total;
    /** Moves what the job has left, and returns the pages that it had. */
    const clean = async () => {
      const statement = `select gin_clean_pending_list('content_search_words')::int as pages`;
      return (await execute<{ pages: number }>(settings.DATABASE_URL ?? '', statement))[0]?.pages;
    };
    const tidied = Promise.withResolvers<void>();
    const write = store.write.bind(store);
    let isHeld = true;
    store.write = async <Input, Output>(operation: WriteOperation<Input, Output>, input: Input) => {
      if (operation.name !== tidyIndex.name) return write(operation, input);
      if (isHeld) throw new Error('It is not time yet.');
      const output = await write(operation, input);
      tidied.resolve();
      return output;
    };
    await write(createContent, item);
    assert.equal(await total(), 1);
    isHeld = false;
    await tidied.promise;
    assert.equal(await total(), 1);
    assert.equal(await clean(), 0, 'nothing is left to be moved');
    isHeld = true;
    await write(createContent, item);
    assert.equal(await total(), 2);
    assert.ok(Number(await clean()) > 0);
    assert.equal(await total(), 2);
  });

  it('A search does not read the whole table because new words wait', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
    const caller = await newCaller(store);
    await execute(
      url,
      `insert into content (author_id, title, content, category, tags, version, created_at, updated_at)
        select ${caller.userId}, 't', 'c', '', '[]', 1, 0, 0 from generate_series(1, 2000);
      insert into content_search select id, 't | almond ' || array_to_string(
        array(select md5((id * 100 + word)::text) from generate_series(1, 20) as word), ' ') from content`,
    );
    const scans = () =>
      execute(url, `select seq_scan from pg_stat_user_tables where relname = 'content_search'`);
    const before = await scans();
    const query = { keyword: 'almond', category: '', page: 1, per_page: 1 };
    assert.equal((await store.read(listContent, query)).total, 2000);
    // A connection tells its figures at its end.
    await store.close();
    assert.deepEqual(await scans(), before);
  });
});

/** Resolves when a connection waits for a lock that meets the condition. */
function waitingFor(url: string, lock: string): Promise<void> {
  const select = `select pid from pg_locks where not granted and ${lock}
    and pid in (select pid from pg_stat_activity where datname = current_database())`;
  return until(async () => (await execute(url, select)).length > 0, `somebody waits for ${lock}`);
}
