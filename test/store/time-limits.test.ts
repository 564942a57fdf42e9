// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { DatabaseError } from 'pg';
import { Failure } from '../../src/domain/failure.ts';
import { openStore } from '../../src/open-store.ts';
import { readOperation, writeOperation } from '../../src/store/operation.ts';
import { newFlag, raise, raised } from '../support/flag.ts';
import { holdConnection } from '../support/gated-operations.ts';
import { readNote } from '../support/operations.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';

const sleep = readOperation('test.sleep', async (db, _: null) => {
  await sql`select pg_sleep(60)`.execute(db);
});

describe('Time limits on PostgreSQL', { concurrency: true }, () => {
  it('A statement that sleeps is ended by the server, and its connection works on', async (t) => {
    const { url, store } = await openedStore(t);
    await assert.rejects(store.read(sleep, null), (error) => codeOf(error) === '57014');
    const sleeping = await execute(
      url,
      `select pid from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(60)' and pid <> pg_backend_pid()`,
    );
    assert.deepEqual(sleeping, []);
    assert.equal(await store.read(readNote, 'a'), '0');
  });

  it('A write that falls silent in its transaction gives its locks back, and is unavailable', async (t) => {
    const { url, store } = await openedStore(t);
    const isLocked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const idle = writeOperation('test.idle', async (db, _: null) => {
      await sql`update secrets set value = 'idle' where name = 'a'`.execute(db);
      isLocked.resolve();
      await goOn.promise;
      await sql`update secrets set value = 'idle' where name = 'b'`.execute(db);
    });
    const written = store.write(idle, null);
    written.catch(() => {});
    await isLocked.promise;
    const other = await connect(url);
    t.after(() => other.end());
    await other.query(`set lock_timeout = '20s'`);
    await other.query(`update secrets set value = value || '1' where name = 'a'`);
    goOn.resolve();
    await assert.rejects(written, isUnavailable);
    assert.deepEqual(await execute(url, 'select name, value from secrets order by name'), [
      { name: 'a', value: '01' },
      { name: 'b', value: '0' },
    ]);
  });

  it('A short read does not wait behind searches that take long', async (t) => {
    const [end, hasBegun] = [newFlag(), [newFlag(), newFlag(), newFlag()]];
    // Before the store, which waits for its reads when it closes.
    t.after(() => raise(end));
    const { store } = await openedStore(t);
    let isSearching = true;
    const searches = Promise.all(hasBegun.map((each) => store.read(holdConnection, [each, end]))).then(() => {
      isSearching = false;
    });
    await Promise.all(hasBegun.map(raised));
    const reads = await Promise.all(Array.from({ length: 100 }, () => store.read(readNote, 'a')));
    assert.deepEqual([isSearching, reads], [true, Array(100).fill('0')]);
    raise(end);
    await searches;
  });

  it('A read that waited too long for a connection is refused and never sent', async (t) => {
    const { url, store } = await openedStore(t);
    const holder = await connect(url);
    t.after(() => holder.end());
    await holder.query('begin; lock table secrets in access exclusive mode');
    // Four connections take 32 statements each; the others wait until these have waited too long for the lock.
    const reads = Array.from({ length: 200 }, () => store.read(readNote, 'a'));
    const first = Promise.any(reads.map((each) => each.catch(() => {})));
    await first;
    await holder.query('rollback');
    const reasons = (await Promise.allSettled(reads)).map((each) =>
      each.status === 'rejected' && isUnavailable(each.reason) ? causeOf(each.reason) : 'answered',
    );
    assert.deepEqual(reasons.slice(128), Array(72).fill('All connections were busy for too long.'));
    assert.equal(await store.read(readNote, 'a'), '0');
  });
});

function isUnavailable(error: unknown): error is Failure {
  return error instanceof Failure && error.data.error === 'unavailable';
}

function causeOf({ cause }: Failure): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function codeOf(error: unknown): string | undefined {
  return isUnavailable(error) && error.cause instanceof DatabaseError ? error.cause.code : undefined;
}

async function openedStore(t: TestContext) {
  const url = await newMigratedDatabase();
  const store = await openStore({ kind: 'postgres', url, poolSize: 10 }, { notice: () => {} });
  t.after(() => store.close());
  await execute(url, `insert into secrets (name, value) values ('a', '0'), ('b', '0')`);
  return { url, store };
}
