// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import type { Failure } from '../../src/domain/failure.ts';
import { openStore } from '../../src/open-store.ts';
import { UniqueViolation } from '../../src/store/constraint.ts';
import { readOperation, statementWrite, writeOperation } from '../../src/store/operation.ts';
import { PipelinedConnections } from '../../src/store/postgres/pipeline/index.ts';
import { ConnectionPool } from '../../src/store/postgres/pool.ts';
import { statement } from '../../src/store/statement.ts';
import { PATIENCE } from '../support/engines.ts';
import { insertNote, readNote } from '../support/operations.ts';
import { execute, newMigratedDatabase, newPostgresDatabase } from '../support/postgres.ts';

const insertNoteAtOnce = statementWrite(
  'test.insert_note_at_once',
  statement((db, { name }: { name: string }) => db.insertInto('secrets').values({ name, value: '0' })),
  () => {},
);
const insertNoteSlowly = statementWrite(
  'test.insert_note_slowly',
  statement(
    (_, { name, seconds }: { name: string; seconds: number }) =>
      sql`insert into secrets (name, value) select ${name}, '0' from pg_sleep(${seconds})`,
  ),
  () => {},
);
const divideByZero = readOperation('test.divide_by_zero', async (db, _: null) => {
  await sql`select 1 / 0`.execute(db);
});

describe('Pipelined statements', { concurrency: true }, () => {
  it('Pipelined statements are committed together, and each is there when it is answered', async (t) => {
    const { url, store } = await openedStore(t);
    const names = Array.from({ length: 64 }, (_, index) => `note-${index}`);
    await Promise.all(names.map((name) => store.write(insertNoteAtOnce, { name })));
    const [row] = await execute<{ notes: number; commits: number }>(
      url,
      `select count(*)::int as notes, count(distinct xmin::text)::int as commits from secrets where name like 'note-%'`,
    );
    assert.equal(row?.notes, 64);
    assert.ok(row.commits < 16, `${row.commits} commits`);
  });

  it('A pipelined statement fails by itself, and the others are done once each', async (t) => {
    const { url, store } = await openedStore(t);
    // Every third is the same name, so that any pipeline has some that fail behind some that do not.
    const names = Array.from({ length: 60 }, (_, index) => (index % 3 === 2 ? 'note-same' : `note-${index}`));
    const settled = await Promise.allSettled(names.map((name) => store.write(insertNoteAtOnce, { name })));
    const refused = settled.filter((each) => each.status === 'rejected');
    assert.equal(refused.length, 19);
    for (const { reason } of refused) assert.ok(reason instanceof UniqueViolation);
    const [row] = await execute<{ notes: number }>(
      url,
      `select count(*)::int as notes from secrets where name like 'note-%'`,
    );
    assert.equal(row?.notes, 41);
    await store.write(insertNoteAtOnce, { name: 'note-later' });
  });

  it('A pipelined statement that waited 1.5 s behind a failed one is refused and not sent', async (t) => {
    const { url, store } = await openedStore(t, 1);
    await store.write(insertNoteAtOnce, { name: 'note-same' });
    // Twelve statements share four connections, so the first three are one pipeline. It fails, and they run one by one.
    const failing = assert.rejects(store.write(insertNoteAtOnce, { name: 'note-same' }), UniqueViolation);
    const slow = store.write(insertNoteSlowly, { name: 'note-slow', seconds: 1.6 });
    const late = assert.rejects(
      store.write(insertNoteAtOnce, { name: 'note-late' }),
      ({ data }: Failure) => data.error === 'unavailable',
    );
    const others = Array.from({ length: 9 }, (_, index) =>
      store.write(insertNoteAtOnce, { name: `other-${index}` }),
    );
    await Promise.all([failing, slow, late, ...others]);
    const rows = await execute<{ name: string }>(url, "select name from secrets where name like 'note-%'");
    assert.deepEqual(rows.map(({ name }) => name).sort(), ['note-same', 'note-slow']);
  });

  it('A pipelined read fails by itself', async (t) => {
    const { store } = await openedStore(t);
    await store.write(insertNote, 'note');
    const reads = Array.from({ length: 40 }, (_, index) =>
      index % 10 === 5 ? store.read(divideByZero, null) : store.read(readNote, 'note'),
    );
    const settled = await Promise.allSettled(reads);
    for (const [index, each] of settled.entries()) {
      if (index % 10 === 5)
        assert.match(String(each.status === 'rejected' && each.reason), /division by zero/);
      else assert.deepEqual(each, { status: 'fulfilled', value: '0' });
    }
  });
});

it('A session that takes no writes is closed after a pipeline of several writes, as after one', async (t) => {
  const url = await newPostgresDatabase();
  await execute(url, 'create table notes (a int)');
  const pool = new ConnectionPool({ url, size: 1, patience: PATIENCE });
  t.after(() => pool.close());
  const connections = new PipelinedConnections(pool, { isWriting: true, patience: PATIENCE });
  const insert = () => connections.run({ text: 'insert into notes values (1)', values: [] });
  // As a session that began while the database had this setting.
  await pool.lend((client) => client.query('set default_transaction_read_only = on'));
  // Eight statements share four connections of which there is one, so the first two are a pipeline.
  const settled = await Promise.allSettled(Array.from({ length: 8 }, insert));
  const refused = settled.map((each) => each.status === 'rejected' && String(each.reason));
  const reason = 'error: cannot execute INSERT in a read-only transaction';
  assert.deepEqual(refused, [reason, reason, ...Array(6).fill(false)]);
});

/** Of a table that a newer instance changes. */
const ALL_OF_TABLE = sql<Record<string, number>>`select * from changing`;
const readAll = readOperation('test.read_all', async (db, _: null) => (await ALL_OF_TABLE.execute(db)).rows);
const readAllInWrite = writeOperation(
  'test.read_all_in_write',
  async (db, _: null) => (await ALL_OF_TABLE.execute(db)).rows,
);
const writeAll = statementWrite(
  'test.write_all',
  statement((_, __: object) => sql<Record<string, number>>`update changing set a = a returning *`),
  (rows) => rows,
);

it('A table that gets a column from a newer instance is read and written on by the connections that had prepared it', async (t) => {
  const url = await newMigratedDatabase();
  const store = await openStore(
    { kind: 'postgres', url, poolSize: 1 },
    { notice: () => {}, patience: PATIENCE },
  );
  t.after(() => store.close());
  await execute(url, 'create table changing (a int); insert into changing values (1)');
  const all = async () => [
    await store.read(readAll, null),
    await store.write(readAllInWrite, null),
    await store.write(writeAll, {}),
    ...(await Promise.all([store.read(readNote, 'x'), store.read(readAll, null), store.read(readNote, 'y')])),
  ];
  assert.deepEqual(await all(), [[{ a: 1 }], [{ a: 1 }], [{ a: 1 }], null, [{ a: 1 }], null]);
  await execute(url, 'alter table changing add column b int default 2');
  const row = [{ a: 1, b: 2 }];
  assert.deepEqual(await all(), [row, row, row, null, row, null]);
});

async function openedStore(t: TestContext, patience = PATIENCE) {
  const url = await newMigratedDatabase();
  const store = await openStore({ kind: 'postgres', url, poolSize: 10 }, { notice: () => {}, patience });
  t.after(() => store.close());
  return { url, store };
}
