// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { Failure } from '../../src/domain/failure.ts';
import { UniqueViolation } from '../../src/store/constraint.ts';
import { readOperation, statementWrite, writeOperation } from '../../src/store/operation.ts';
import { statement } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import type { Db } from '../../src/store/tables.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';
import { openStoreOn } from '../support/store.ts';

/** What passes by itself. The server raises each of them, as it does when it happens. */
const PASSING = [
  '08006', // connection_failure
  '25006', // read_only_sql_transaction
  '25P04', // transaction_timeout
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57P01', // admin_shutdown
  '57P03', // cannot_connect_now
  '58030', // io_error
];
/** What is wrong with the statement or the data, and will be again. */
const FAULTS = ['22012', '22P02', '23502', '23514', '42601', '42P01', 'XX000'];
const TRY_AGAIN = ['40001', '40P01'];

const raise = async (db: Db, code: string) => {
  await sql`select raise(${code})`.execute(db);
};
const WAYS = {
  read: readOperation('test.raise', raise),
  longRead: readOperation('test.raise_long', raise, () => true),
  write: writeOperation('test.raise_write', raise),
  writeAtOnce: statementWrite(
    'test.raise_at_once',
    statement((_, { code }: { code: string }) => sql`select raise(${code})`),
    () => {},
  ),
};

describe('Errors of PostgreSQL', { concurrency: true }, () => {
  it('A transient error of PostgreSQL is unavailable in every kind of statement', async (t) => {
    const { store } = await opened(t);
    for (const code of PASSING)
      assert.deepEqual(await outcomes(store, code), Array(4).fill('unavailable'), code);
  });

  it('A full disk of PostgreSQL is reported as full storage, and by ping for a while', async (t) => {
    const { store } = await opened(t);
    await store.ping();
    const isFull = (error: unknown) => error instanceof Failure && error.data.details?.[0] === 'storage_full';
    await assert.rejects(store.read(WAYS.read, '53100'), isFull);
    await store.ping();
    await assert.rejects(store.write(WAYS.writeAtOnce, { code: '53100' }), isFull);
    await assert.rejects(store.ping(), isFull);
  });

  it('A statement that took too long makes a long read busy, and all else unavailable', async (t) => {
    const { store } = await opened(t);
    const expected = ['unavailable', 'busy', 'unavailable', 'unavailable'];
    assert.deepEqual(await outcomes(store, '57014'), expected);
  });

  it('A permanent error of PostgreSQL is an internal error in every kind of statement', async (t) => {
    const { store } = await opened(t);
    for (const code of FAULTS)
      assert.deepEqual(await outcomes(store, code), Array(4).fill(`raised ${code}`), code);
  });

  it('A write that PostgreSQL asks to repeat without end is busy', async (t) => {
    const { store } = await opened(t);
    const writes = TRY_AGAIN.flatMap((code) => [
      outcomeOf(store.write(WAYS.write, code)),
      outcomeOf(store.write(WAYS.writeAtOnce, { code })),
    ]);
    assert.deepEqual(await Promise.all(writes), Array(4).fill('busy'));
  });

  it('A violation of a unique constraint has the name of the constraint', async (t) => {
    const { store } = await opened(t);
    const insert = writeOperation('test.insert', async (db, _: null) => {
      await sql`insert into secrets (name, value) values ('note', '0')`.execute(db);
    });
    await store.write(insert, null);
    await assert.rejects(
      store.write(insert, null),
      (error) => error instanceof UniqueViolation && error.constraint === 'secrets_pkey',
    );
  });

  it('A read-only database is unavailable, and works when it may be written again', async (t) => {
    const { url, store } = await opened(t);
    const insert = writeOperation('test.insert', async (db, _: null) => {
      await sql`insert into secrets (name, value) values ('note', '0')`.execute(db);
    });
    const admin = await connect(url);
    t.after(() => admin.end());
    const readOnly = async (value: string) => {
      await admin.query(
        `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
      );
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'stoa' and query not like 'LISTEN%'`,
      );
    };
    await readOnly('on');
    assert.equal(await outcomeOf(store.write(insert, null)), 'unavailable');
    await readOnly('off');
    // A connection that was ended may be noticed by the first who uses it.
    while ((await outcomeOf(store.write(insert, null))) === 'unavailable');
    assert.equal((await execute(url, `select name from secrets where name = 'note'`)).length, 1);
  });
});

function outcomes(store: Store, code: string): Promise<string[]> {
  return Promise.all([
    outcomeOf(store.read(WAYS.read, code)),
    outcomeOf(store.read(WAYS.longRead, code)),
    outcomeOf(store.write(WAYS.write, code)),
    outcomeOf(store.write(WAYS.writeAtOnce, { code })),
  ]);
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof Failure) return error.data.error;
    return error instanceof Error ? error.message : String(error);
  }
}

async function opened(t: TestContext) {
  const url = await newMigratedDatabase();
  const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 4 });
  await execute(
    url,
    `create function raise(code text) returns int language plpgsql as
     $$ begin raise exception using errcode = code, message = 'raised ' || code; end $$`,
  );
  return { url, store };
}
