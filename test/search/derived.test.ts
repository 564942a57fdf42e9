import assert from 'node:assert/strict';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { listContent } from '../../src/lists/list.ts';
import { openStore } from '../../src/open-store.ts';
import {
  indexProgress,
  indexQueuedContent,
  indexWaiting,
  isIndexUntidy,
  tidy,
} from '../../src/search/index-words.ts';
import type { Store } from '../../src/store/store.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { sqlite, temporaryFolder } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';
import { copyMigratedFile } from '../support/sqlite.ts';
import { newCaller } from '../support/store.ts';

const DAY_MS = 86_400_000;

describe('The index of words of an SQLite database', () => {
  it('An index file that is missing, no database or of another version is made again', async (t) => {
    const { file, index, use } = await start(t);
    await use(async ({ create }) => void (await create('walnut')));
    const spoil = [
      () => rm(index),
      () => writeFile(index, 'no database'),
      () => withDatabase(index, (database) => database.exec('PRAGMA user_version = 999')),
    ];
    for (const each of spoil) {
      await each();
      await use(async ({ find }) => assert.deepEqual(await find('walnut'), [1]));
      assert.equal((await stat(index)).mode & 0o777, 0o600);
    }
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('An index that lost its last rounds with the machine continues from where it was', async (t) => {
    const { index, use } = await start(t);
    await use(async ({ create }) => void (await create('walnut')));
    await copyFile(index, `${index}.earlier`);
    await use(async ({ create, remove }) => {
      await create('walnut');
      await remove(1);
    });
    await copyFile(`${index}.earlier`, index);
    await use(async ({ find }) => assert.deepEqual(await find('walnut'), [2]));
  });

  it('An index that lacks changes which are no longer kept is made again from all items', async (t) => {
    const { file, index, use } = await start(t);
    await use(async ({ create }) => void (await create('walnut')));
    await copyFile(index, `${index}.earlier`);
    await use(async ({ create }) => void (await create('walnut')));
    withDatabase(file, (database) => database.exec('DELETE FROM content_search_queue WHERE place <= 2'));
    await copyFile(`${index}.earlier`, index);
    await use(async ({ create }) => void (await create('almond')));
    await use(async ({ find }) => assert.deepEqual(await find('walnut'), [1, 2]));
  });

  it('An index next to an older copy of the database is made again', async (t) => {
    const { file, use } = await start(t);
    await use(async ({ create }) => void (await create('walnut')));
    await copyFile(file, `${file}.backup`);
    await use(async ({ create }) => {
      await create('almond');
      await create('almond');
    });
    await copyFile(`${file}.backup`, file);
    await use(async ({ create, find }) => {
      assert.deepEqual(await find('almond'), []);
      await create('hazelnut');
      await create('hazelnut');
      assert.deepEqual(await find('hazelnut'), [2, 3]);
      assert.deepEqual(await find('walnut'), [1]);
    });
  });

  it('An index next to an older copy is made again before the first write takes a place that it knows', async (t) => {
    const DATA_DIR = await temporaryFolder(t);
    const [file, backup] = [join(DATA_DIR, 'stoa.db'), join(DATA_DIR, 'backup')];
    const on = { ...sqlite, settings: async () => ({ DATA_DIR }) };
    // On a busy machine the thread that indexes takes its time to start.
    const before = (operation: string) => (operation === indexQueuedContent.name ? pause(500) : undefined);
    const wrap = (store: Store) => observed(store, { before });
    let token: string | undefined;
    const run = async (word: string) => {
      const service = await startService(t, on, {}, { wrap });
      token ??= (await newAccount(service.url)).token;
      for (let item = 0; item < 3; item++) await newItem(service.url, token, { content: word });
      const found = await call(service.url, 'GET', `/api/content?keyword=${word}`);
      assert.equal(found.body.data.total, 3);
      await service.stop();
    };
    await run('walnut');
    await copyFile(file, backup);
    await run('almond');
    await copyFile(backup, file);
    await run('hazelnut');
  });

  it('An index of another database is not searched', async (t) => {
    const [here, there] = [await start(t), await start(t, { isNew: true })];
    await here.use(async ({ create }) => void (await create('walnut')));
    await there.use(async ({ create }) => void (await create('almond')));
    await copyFile(there.index, here.index);
    await here.use(async ({ find }) => {
      assert.deepEqual(await find('almond'), []);
      assert.deepEqual(await find('walnut'), [1]);
    });
  });

  it('A deleted or hidden item is not shown before the index knows of it', async (t) => {
    const { file, use } = await start(t);
    await use(async ({ store, create, remove }) => {
      for (let item = 0; item < 3; item++) await create('walnut');
      while (await indexWaiting(store));
      await remove(1);
      withDatabase(file, (database) => database.exec('UPDATE content SET visible = 0 WHERE id = 2'));
      assert.equal((await store.read(indexProgress, null)).waiting, 2);
      const found = await store.read(listContent, searchFor('walnut'));
      assert.deepEqual([found.items.map(({ id }) => id), found.total], [[3], 1]);
    });
  });

  it('The queue of the index keeps the newest ten thousand changes, and forgets older ones', async (t) => {
    const { file, use } = await start(t);
    await use(async ({ store, create }) => {
      await create('walnut');
      withDatabase(file, (database) =>
        database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11500)
          INSERT INTO content_search_queue (content_id) SELECT 1 FROM n`),
      );
      while (await indexWaiting(store));
      await indexWaiting(store);
      const { oldest, last, indexed } = await store.read(indexProgress, null);
      assert.deepEqual([oldest, last, indexed], [1_001, 11_501, 11_501]);
    });
  });

  it('An index has no word of a deleted item after a day', async (t) => {
    const { index, use } = await start(t);
    await use(async ({ store, create, remove }) => {
      for (let item = 0; item < 20; item++)
        await create(`common word${item} ${item === 7 ? 'peculiarity' : ''}`);
      while (await indexWaiting(store));
      await remove(8);
      while (await indexWaiting(store));
      assert.ok(hasWord(index, 'peculiarity'));
      withDatabase(index, (database) =>
        database.exec(`UPDATE content_search_state SET stale_since = stale_since - ${DAY_MS}`),
      );
      while (await tidy(store));
      assert.ok(!hasWord(index, 'peculiarity'));
      assert.equal((await store.read(listContent, searchFor('common'))).total, 19);
      assert.equal(await store.read(isIndexUntidy, null), false);
    });
  });

  it('A damaged index is reported and removed, and made again by the next start', async (t) => {
    const { file, index, use } = await start(t);
    await use(async ({ create }) => {
      for (let item = 0; item < 200; item++) await create(`walnut ${'word '.repeat(50)} ${item}`);
    });
    const whole = await readFile(index);
    await writeFile(index, Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 0xff)]));
    const store = await openStore({ kind: 'sqlite', file });
    const says = /stoa\.db-derived was damaged and is removed; restart the service/;
    try {
      await assert.rejects(indexWaiting(store), says);
      await assert.rejects(store.read(listContent, searchFor('walnut')));
    } finally {
      await store.close();
    }
    await use(async ({ find }) => assert.equal((await find('walnut')).length, 100));
  });
});

interface Used {
  readonly store: Store;
  readonly create: (content: string) => Promise<number>;
  readonly remove: (id: number) => Promise<void>;
  /** The ids of the first hundred found, after all that waits is indexed. */
  readonly find: (keyword: string) => Promise<number[]>;
}

/** `isNew`: the service makes the database, which is one of its own then and no copy. */
async function start(t: TestContext, { isNew }: { readonly isNew?: boolean } = {}) {
  const folder = await temporaryFolder(t);
  if (!isNew) await copyMigratedFile(folder);
  const file = join(folder, 'stoa.db');
  let caller: Awaited<ReturnType<typeof newCaller>> | undefined;
  /** Opens the store, and closes it afterwards. */
  async function use(work: (used: Used) => Promise<void>): Promise<void> {
    const store = await openStore({ kind: 'sqlite', file });
    try {
      caller ??= await newCaller(store);
      const known = caller;
      const item = { title: 't', ...BARE_ITEM, ...known, now: 0 };
      await work({
        store,
        create: async (content) => (await store.write(createContent, { ...item, content })).id,
        remove: (id) => store.write(deleteContent, { id, caller: known, now: 1, isForGood: true }),
        find: async (keyword) => {
          while (await indexWaiting(store));
          return (await store.read(listContent, searchFor(keyword))).items.map(({ id }) => id);
        },
      });
      while (await indexWaiting(store));
    } finally {
      await store.close();
    }
  }
  return { file, index: `${file}-derived`, use };
}

function searchFor(keyword: string) {
  return { keyword, category: '', page: 1, per_page: 100 };
}

/** Does a page that is in use have the word? */
function hasWord(index: string, word: string): boolean {
  let found = false;
  withDatabase(index, (database) => {
    const { count } = database
      .prepare('SELECT count(*) AS count FROM content_search_data WHERE instr(block, CAST(? AS BLOB)) > 0')
      .get(word) ?? { count: 0 };
    found = Number(count) > 0;
  });
  return found;
}

function withDatabase(file: string, work: (database: DatabaseSync) => unknown): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}
