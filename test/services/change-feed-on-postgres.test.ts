// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { updateContent } from '../../src/content/update.ts';
import { numberChanges } from '../../src/services/changes/number-changes.ts';
import type { FeedChange } from '../../src/services/changes/read.ts';
import { writeOperation } from '../../src/store/operation.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { feedAfter, feedUntil, versionsByItem } from '../support/feed.ts';
import { connect, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance, startService } from '../support/service.ts';
import { newCaller } from '../support/store.ts';

const WRITERS = 8;
const CHANGES = 12;

describe('The feed on PostgreSQL', () => {
  it('A reader sees each change of many writers on two instances once and in the order of its item, with one that commits late', async (t) => {
    const database = await sameDatabase(t, postgres);
    const services = [await startService(t, database), await startService(t, database)] as const;
    const [one, other] = services;
    const { DATABASE_URL: url = '' } = await database.settings(t);
    const author = await newAccount(one.url);
    const { id: held } = await newItem(one.url, author.token);
    const { id: shared } = await newItem(one.url, author.token);

    await feedUntil(one.store, 0, ({ item_id }) => item_id === shared);

    // Takes the lowest place of all changes that wait, and commits last.
    const late = await connect(url);
    t.after(() => late.end());
    await late.query('BEGIN');
    await late.query(`UPDATE content SET version = 2, title = 'late' WHERE id = ${held}`);
    const places = await late.query(`SELECT place FROM unnumbered_changes WHERE item_id = ${held}`);
    assert.equal(places.rows.length, 1, 'the place of the late change is taken');

    const isLast = ({ account_id }: FeedChange) => account_id === lastId;
    let lastId = 0;
    const readers = services.map(({ store }) => feedUntil(store, 0, isLast));
    const write = async (index: number) => {
      const { url } = index % 2 === 0 ? one : other;
      const { token } = author;
      const { id } = await newItem(url, token);
      for (let round = 0; round < CHANGES; round++)
        for (const each of [id, shared]) {
          const title = `${index} ${round}`;
          const { status } = await call(url, 'PUT', `/api/content/${each}`, { token, body: { title } });
          assert.equal(status, 200);
        }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, index) => write(index)));
    const before = await feedUntil(
      other.store,
      0,
      ({ item_id, version }) => item_id === shared && version === 97,
    );
    assert.ok(before.every(({ item_id, version }) => item_id !== held || version === 1));
    await late.query('COMMIT');
    lastId = (await newAccount(one.url)).id;

    for (const feed of await Promise.all(readers)) {
      assert.deepEqual(
        feed.map(({ number }) => number),
        feed.map((_, index) => index + 1),
      );
      const versions = versionsByItem(feed);
      assert.deepEqual(versions.get(held), [1, 2]);
      const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
      assert.deepEqual(versions.get(shared), upTo(1 + WRITERS * CHANGES));
      versions.delete(held);
      versions.delete(shared);
      assert.deepEqual([...versions.values()], Array(WRITERS).fill(upTo(1 + CHANGES)));
    }
  });

  it('Changes of an instance that ended before or while it numbered them are numbered by another', async (t) => {
    const url = await newMigratedDatabase();
    const ended = await openInstance(url, 2);
    const caller = await newCaller(ended);
    const item = {
      title: 't',
      content: '',
      ...BARE_ITEM,
      ...caller,
      now: 0,
    };
    const { id } = await ended.write(createContent, item);
    for (const title of ['u', 'v', 'w'])
      await ended.write(updateContent, { id, caller, now: 1, columns: { title } });
    await assert.rejects(ended.write(numberThenEnd, null), /ended/);
    await ended.close();
    const next = await openInstance(url, 2);
    t.after(() => next.close());
    assert.deepEqual(await feedAfter(next, 0), []);
    while (await next.write(numberChanges, { limit: 2 }));
    const feed = await feedAfter(next, 0);
    assert.deepEqual(
      feed.map(({ event, version }) => [event, version]),
      [
        ['user.created', null],
        ['content.created', 1],
        ...[2, 3, 4].map((version) => ['content.updated', version]),
      ],
    );
  });

  it('Two instances that number at once give no number twice', async (t) => {
    const url = await newMigratedDatabase();
    const open = () => openInstance(url);
    const stores = await Promise.all([open(), open()]);
    t.after(() => Promise.all(stores.map((store) => store.close())));
    const [one] = stores;
    assert.ok(one);
    const caller = await newCaller(one);
    const item = {
      title: 't',
      content: '',
      ...BARE_ITEM,
      ...caller,
      now: 0,
    };
    await Promise.all(Array.from({ length: 60 }, () => one.write(createContent, item)));
    const number = async (store: typeof one) => {
      while (await store.write(numberChanges, { limit: 3 }));
    };
    await Promise.all([...stores, ...stores].map(number));
    const feed = await feedAfter(one, 0);
    assert.equal(feed.length, 61);
    assert.equal(new Set(feed.map(({ item_id }) => item_id)).size, 61);
  });
});

const numberThenEnd = writeOperation('test.number_then_end', async (db, _: null, engine) => {
  await numberChanges.run(db, { limit: 100 }, engine);
  throw new Error('The instance ended.');
});
