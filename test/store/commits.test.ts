// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { readOperation, statementWrite, writeOperation } from '../../src/store/operation.ts';
import { statement } from '../../src/store/statement.ts';
import type { Db } from '../../src/store/tables.ts';
import { PATIENCE } from '../support/engines.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openStoreOn } from '../support/store.ts';

const setting = (name: string) => sql<{ value: string }>`select current_setting(${name}) as value`;
const read = async (db: Db, name: string) => (await setting(name).execute(db)).rows[0]?.value;
const insertNote = async (db: Db) => {
  await sql`insert into secrets (name, value) values ('note', '0')`.execute(db);
};

/** What a setting of the server is in each way to it. */
const WAYS = {
  'a short read': readOperation('test.setting', read),
  'a long read': readOperation('test.setting_long', read, () => true),
  'a write': writeOperation('test.setting_write', read),
  'a write of one statement': statementWrite(
    'test.setting_at_once',
    statement((_, { name }: { name: string }) => setting(name)),
    ([row]) => row?.value,
  ),
};

describe('The connections of a service on PostgreSQL', { concurrency: true }, () => {
  it('A connection on PostgreSQL commits as the server says in synchronous_commit', async (t) => {
    const url = await newMigratedDatabase();
    const { pathname } = new URL(url);
    await execute(url, `alter database ${pathname.slice(1)} set synchronous_commit = remote_apply`);
    const store = await openedOn(t, url);
    assert.deepEqual(await settingEverywhere(store, 'synchronous_commit'), {
      'a short read': 'remote_apply',
      'a long read': 'remote_apply',
      'a write': 'remote_apply',
      'a write of one statement': 'remote_apply',
    });
  });

  it('A connection on PostgreSQL gives each statement three seconds, times the patience, also in a long read', async (t) => {
    const url = await newMigratedDatabase();
    for (const [patience, limit] of [
      [1, '3s'],
      [PATIENCE, '30s'],
    ] as const) {
      const store = await openedOn(t, url, patience);
      assert.deepEqual(await settingEverywhere(store, 'statement_timeout'), {
        'a short read': limit,
        'a long read': limit,
        'a write': limit,
        'a write of one statement': limit,
      });
    }
  });
});

describe('Failed transactions on PostgreSQL', { concurrency: true }, () => {
  const swallowing = {
    'with an error that the operation swallowed': async (db: Db) => {
      await insertNote(db);
      await sql`select 1 / 0`.execute(db).catch(() => {});
    },
    'at its commit, where a constraint is checked last': async (db: Db) => {
      await insertNote(db);
      await sql`create table child (name text references secrets deferrable initially deferred)`.execute(db);
      await sql`insert into child values ('no note')`.execute(db);
    },
  };
  for (const [how, run] of Object.entries(swallowing)) {
    it(`A write whose transaction failed ${how} rejects and changes nothing`, async (t) => {
      const url = await newMigratedDatabase();
      const store = await openedOn(t, url);
      await assert.rejects(store.write(writeOperation('test.swallow', run), null));
      assert.deepEqual(await execute(url, `select name from secrets where name = 'note'`), []);
      await store.write(writeOperation('test.insert', insertNote), null);
      assert.equal((await execute(url, `select name from secrets where name = 'note'`)).length, 1);
    });
  }
});

describe('Statements that outlive their operation', () => {
  it('A statement after the end of its transaction is refused, and done in no other', async (t) => {
    const url = await newMigratedDatabase();
    const store = await openedOn(t, url);
    const goOn = Promise.withResolvers<void>();
    let left: Promise<void> | undefined;
    const leaving = writeOperation('test.leave', async (db, _: null) => {
      await sql`select 1`.execute(db);
      left = goOn.promise.then(() => insertNote(db));
    });
    await store.write(leaving, null);
    goOn.resolve();
    await assert.rejects(left ?? Promise.resolve(), /has ended/);
    assert.deepEqual(await execute(url, `select name from secrets where name = 'note'`), []);
  });
});

async function settingEverywhere(store: Awaited<ReturnType<typeof openedOn>>, name: string) {
  return {
    'a short read': await store.read(WAYS['a short read'], name),
    'a long read': await store.read(WAYS['a long read'], name),
    'a write': await store.write(WAYS['a write'], name),
    'a write of one statement': await store.write(WAYS['a write of one statement'], { name }),
  };
}

function openedOn(t: TestContext, url: string, patience = PATIENCE) {
  return openStoreOn(t, { kind: 'postgres', url, poolSize: 10 }, { patience });
}
