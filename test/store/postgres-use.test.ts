// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStore } from '../../src/open-store.ts';
import { PATIENCE } from '../support/engines.ts';
import { insertNote, readNote } from '../support/operations.ts';
import { connect, newPostgresDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const OPTIONS = {
  operationsUrl: new URL('../support/operations.ts', import.meta.url).href,
  notice: () => {},
  patience: PATIENCE,
};
const ADVISORY = `SELECT locktype, objid, mode, pid FROM pg_locks
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const IN_USE = `${ADVISORY} AND mode = 'ShareLock'`;
const WAITS = `${ADVISORY} AND NOT granted`;

describe('Instances and moves on PostgreSQL', { concurrency: true }, () => {
  it('An instance on PostgreSQL shows moves that it uses the database until it is closed', async (t) => {
    const url = await newPostgresDatabase();
    const watcher = await connect(url);
    t.after(() => watcher.end());
    const store = await openStore({ kind: 'postgres', url, poolSize: 2 }, OPTIONS);
    assert.equal((await watcher.query(IN_USE)).rowCount, 1);
    await store.close();
    assert.equal((await watcher.query(IN_USE)).rowCount, 0);
  });

  it('An instance that lost its database to a move serves nothing, and continues after the move', async (t) => {
    const url = await newPostgresDatabase();
    const store = await openStore({ kind: 'postgres', url, poolSize: 2 }, OPTIONS);
    t.after(() => store.close());
    const mover = await connect(url);
    t.after(() => mover.end());
    const [held] = (await mover.query(IN_USE)).rows;
    // It waits in the queue, so it has the lock as soon as the instance loses its connection.
    const { rows } = await mover.query(
      'SELECT classid, objid FROM pg_locks WHERE pid = $1 AND locktype = $2',
      [held.pid, 'advisory'],
    );
    const key = (BigInt(rows[0].classid) << 32n) + BigInt(rows[0].objid);
    const other = await connect(url);
    t.after(() => other.end());
    const taken = mover.query(`SELECT pg_advisory_lock(${key})`);
    await until(async () => (await other.query(WAITS)).rowCount === 1, 'the mover waits for the lock');
    await other.query('SELECT pg_terminate_backend($1)', [held.pid]);
    await taken;
    await until(async () => !(await works(() => store.ping())), 'the instance serves nothing');
    assert.ok(!(await works(() => store.write(insertNote, 'during'))));
    assert.ok(!(await works(() => store.read(readNote, 'during'))));
    await mover.query(`SELECT pg_advisory_unlock(${key})`);
    await until(() => works(() => store.ping()), 'the instance serves again');
    await store.write(insertNote, 'after');
    assert.equal(await store.read(readNote, 'after'), '0');
  });
});

async function works(use: () => Promise<unknown>): Promise<boolean> {
  return use().then(
    () => true,
    () => false,
  );
}
