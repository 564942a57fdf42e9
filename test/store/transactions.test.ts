// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { Failure } from '../../src/domain/failure.ts';
import { openStore } from '../../src/open-store.ts';
import { writeOperation } from '../../src/store/operation.ts';
import { during, outcomeOf } from '../support/during.ts';
import { PATIENCE } from '../support/engines.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';
import { stopwatch } from '../support/stopwatch.ts';

interface Step {
  readonly first: string;
  readonly second: string;
  readonly isolation: 'serializable' | 'read committed';
}

let tries = 0;

/** Adds one to each of two notes, in the order given, with time between for others to come in. */
const addToBoth = writeOperation('test.add_to_both', async (db, { first, second, isolation }: Step) => {
  tries++;
  await sql`set transaction isolation level ${sql.raw(isolation)}`.execute(db);
  for (const name of [first, second]) {
    await sql`update secrets set value = (value::int + 1)::text where name = ${name}`.execute(db);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
});

const ATTEMPTS = 4;

describe('Writes on PostgreSQL', { concurrency: true }, () => {
  it('A write that a deadlock ended runs again until it is done, once', async (t) => {
    // PostgreSQL looks for a deadlock after a second, and a busy machine needs several.
    const { url, store } = await storeWithNotes(t, PATIENCE);
    tries = 0;
    const step = (index: number): Step => {
      const [first, second] = index % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const);
      return { first, second, isolation: 'read committed' };
    };
    await addAtOnce(url, (index) => store.write(addToBoth, step(index)));
    assert.deepEqual(await notes(url), { a: String(ATTEMPTS), b: String(ATTEMPTS) });
    const [{ deadlocks } = { deadlocks: 0 }] = await execute<{ deadlocks: number }>(
      url,
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    t.diagnostic(`${deadlocks} deadlocks, ${tries} tries`);
    assert.ok(tries > ATTEMPTS, 'no deadlock was provoked');
  });
});

describe('Serializable writes on PostgreSQL', () => {
  it('A serializable write that lost to another one runs again until it is done, once', async (t) => {
    const { url, store } = await storeWithNotes(t, PATIENCE);
    tries = 0;
    const step: Step = { first: 'a', second: 'b', isolation: 'serializable' };
    await addAtOnce(url, () => store.write(addToBoth, step));
    assert.deepEqual(await notes(url), { a: String(ATTEMPTS), b: String(ATTEMPTS) });
    assert.ok(tries > ATTEMPTS, 'no serialization failure was provoked');
  });

  it('A serializable write that never gets through is refused as busy, with nothing changed', async (t) => {
    const { url, store } = await storeWithNotes(t);
    let runs = 0;
    const neverDone = writeOperation('test.never_done', async (db, _: null) => {
      runs++;
      await sql`set transaction isolation level serializable`.execute(db);
      await sql`update secrets set value = 'never' where name = 'b'`.execute(db);
      await sql`select value from secrets where name = 'a'`.execute(db);
      await execute(url, `update secrets set value = (value::int + 1)::text where name = 'a'`);
      await sql`update secrets set value = 'never' where name = 'a'`.execute(db);
    });
    await assert.rejects(store.write(neverDone, null), (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.data.error, 'busy');
      assert.equal(error.data.retryAfter, 1);
      return true;
    });
    assert.ok(runs > 3 && runs < 30, `${runs} runs`);
    assert.deepEqual(await notes(url), { a: String(runs), b: '0' });
  });
});

describe('Statements on PostgreSQL', { concurrency: true }, () => {
  it('A statement that waits for a lock is given up in time, and its connection works on', async (t) => {
    const { url, store } = await storeWithNotes(t);
    const holder = await connect(url);
    await holder.query('begin');
    await holder.query(`update secrets set value = 'held' where name = 'a'`);
    const elapsed = stopwatch();
    const step: Step = { first: 'a', second: 'b', isolation: 'read committed' };
    await assert.rejects(store.write(addToBoth, step), isUnavailable);
    assert.ok(elapsed() < 4_000);
    await holder.query('rollback');
    await holder.end();
    await store.write(addToBoth, step);
    assert.deepEqual(await notes(url), { a: '1', b: '1' });
  });

  it('A transaction whose backend is terminated in the middle leaves nothing half done', async (t) => {
    const { url, store } = await storeWithNotes(t);
    const killed = writeOperation('test.killed', async (db, _: null) => {
      await sql`update secrets set value = 'half' where name = 'a'`.execute(db);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      await execute(url, 'select pg_terminate_backend($1)', [rows[0]?.pid]);
      await sql`update secrets set value = 'half' where name = 'b'`.execute(db);
    });
    for (let round = 0; round < 15; round++) {
      await assert.rejects(store.write(killed, null), isUnavailable);
    }
    assert.deepEqual(await notes(url), { a: '0', b: '0' });
    await store.write(addToBoth, { first: 'a', second: 'b', isolation: 'read committed' });
    assert.deepEqual(await notes(url), { a: '1', b: '1' });
  });
});

function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.data.error === 'unavailable' && error.data.retryAfter === 1;
}

async function storeWithNotes(t: TestContext, patience = 1) {
  const url = await newMigratedDatabase();
  const store = await openStore({ kind: 'postgres', url, poolSize: 10 }, { notice: () => {}, patience });
  t.after(() => store.close());
  await execute(url, `insert into secrets (name, value) values ('a', '0'), ('b', '0')`);
  return { url, store };
}

/** Begins each write while another transaction holds both notes, so that all of them meet. */
async function addAtOnce(url: string, write: (index: number) => Promise<unknown>): Promise<void> {
  const hold = "update secrets set value = value where name in ('a', 'b')";
  const begin = () => Array.from({ length: ATTEMPTS }, (_, index) => outcomeOf(write(index)));
  assert.deepEqual(await during(url, [hold], ATTEMPTS, begin), Array(ATTEMPTS).fill('done'));
}

async function notes(url: string): Promise<Record<string, string>> {
  const rows = await execute<{ name: string; value: string }>(url, 'select name, value from secrets');
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
