import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { TABLES } from '../../src/features.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { contentBacklog } from '../../src/search/index-words.ts';
import { workOff } from '../../src/transfer/backlog.ts';
import { batchesOf, insertRows } from '../../src/transfer/rows.ts';
import { carriedTables } from '../../src/transfer/schema.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { onEveryEngine } from '../support/engines.ts';
import { newDatabase } from '../support/store.ts';

const KIB = 1024;
const KEYS = { username_key: 'a', email_key: 'a@b.c' };
const TEXTS = { title: '', content: '', ...BARE_ITEM };
const ITEM = { ...TEXTS, version: 1, created_at: 0, updated_at: 0 };

onEveryEngine('Batches of a move', (engine) => {
  it('A move has 2 MiB of text in memory at a time, or one row, whatever column the text is in', async (t) => {
    const end = await openMoveEnd(await newDatabase(t, engine), 'target');
    t.after(() => end.close());
    await end.create();
    await sql`alter table secrets add column note text`.execute(end.db);
    const table = (await carriedTables(end, TABLES)).find(({ name }) => name === 'secrets');
    assert.ok(table);
    const kib = [700, 700, 700, 700, 3000, 1, 1, 1];
    const rows = kib.map((size, at) => ({ name: `${at}`, value: 'v', note: 'x'.repeat(size * KIB) }));
    await end.transaction((db) => insertRows(db, table, [...rows, { name: '9', value: 'v', note: null }]));

    const batches: string[] = [];
    for await (const batch of batchesOf(end.db, table)) {
      batches.push(batch.map(({ name }) => name).join(' '));
    }
    assert.deepEqual(batches, ['0 1', '2 3', '4', '5 6 7 9']);
  });

  it('A move hears a signal after each batch of rows, and of items for the search', async (t) => {
    const end = await openMoveEnd(await newDatabase(t, engine), 'target');
    t.after(() => end.close());
    await end.create();
    const { id } = await end.db
      .insertInto('users')
      .values({ ...KEYS, username: 'a', email: 'a@b.c', password_hash: '', role: 'member', created_at: 0 })
      .returning('id')
      .executeTakeFirstOrThrow();
    await end.db
      .insertInto('content')
      .values({ ...ITEM, author_id: id })
      .execute();
    const [users] = await carriedTables(end, TABLES);
    assert.ok(users);
    const reading = async () => {
      for await (const _ of batchesOf(end.db, users));
    };
    for (const work of [reading, () => workOff(end, contentBacklog)]) {
      // Signals come in the same turns of the event loop.
      let turned = false;
      setImmediate(() => {
        turned = true;
      });
      await work();
      assert.ok(turned);
    }
  });
});
