// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { openStore } from '../../src/open-store.ts';
import { PATIENCE } from '../support/engines.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { ADA } from '../support/store.ts';
import { until } from '../support/until.ts';

/** Fails each time, and counts it: what a sequence gave is not taken back. */
const BREAK = `create sequence rounds;
  create function broken() returns trigger language plpgsql as
  $$ begin perform nextval('rounds'); raise 'it broke'; end $$;
  create trigger broken before delete on users_bucket_changes execute function broken()`;

describe('The upkeep of a store on PostgreSQL', { concurrency: true }, () => {
  it('The upkeep reports once that adding up the counts fails and once that it works, and adds up', async (t) => {
    const { url, store, toldOf } = await opened();
    t.after(() => store.close());
    const summing = () => toldOf('adding up the counts');
    await execute(url, BREAK);
    await store.write(createAccount, ADA);
    const rounds = async () => (await rowOf<{ n: number }>(url, 'select last_value::int as n from rounds')).n;
    await until(async () => (await rounds()) >= 3, 'adding up was tried three times');
    assert.deepEqual(summing(), ['adding up the counts failed; trying again: it broke']);
    const summed = 'select (select coalesce(sum(rows), 0) from users_bucket_sums)::int as n';
    assert.equal((await rowOf<{ n: number }>(url, summed)).n, 0);
    await execute(url, 'drop trigger broken on users_bucket_changes');
    await until(() => summing().length === 2, 'the upkeep reports again');
    assert.equal(summing()[1], 'adding up the counts works again');
    await until(async () => (await rowOf<{ n: number }>(url, summed)).n === 1, 'the counts are added up');
  });

  it('The upkeep reports once that it cannot listen and once that it can, each time', async (t) => {
    const { url, store, toldOf } = await opened();
    t.after(() => store.close());
    const listening = () => toldOf('listening to other instances');
    const database = new URL(url).pathname.slice(1);
    const server = new URL(url);
    server.pathname = '/postgres';
    const allowConnections = (isAllowed: boolean) =>
      execute(server.href, `alter database ${database} with allow_connections ${isAllowed}`);
    for (let round = 1; round <= 2; round++) {
      const listens = async () => (await listeners(server.href, database)).length === 1;
      await until(listens, 'the store listens');
      await allowConnections(false);
      await execute(server.href, 'select pg_terminate_backend($1)', await listeners(server.href, database));
      await until(() => listening().length === 2 * round - 1, 'the upkeep reports that it cannot listen');
      await allowConnections(true);
      await until(() => listening().length === 2 * round, 'the upkeep reports that it listens');
      assert.match(listening()[2 * round - 2] ?? '', /^listening to other instances failed; trying again: /);
      assert.equal(listening()[2 * round - 1], 'listening to other instances works again');
    }
  });

  it('The upkeep ends with the store and leaves no connection', async () => {
    const { url, store } = await opened();
    await store.write(createAccount, ADA);
    await store.close();
    const left = `select pid from pg_stat_activity where datname = current_database() and application_name = 'stoa'`;
    await until(async () => (await execute(url, left)).length === 0, 'no connection is left');
  });
});

async function opened() {
  const url = await newMigratedDatabase();
  const told: string[] = [];
  const notice = (message: string, error?: unknown) => {
    told.push(error instanceof Error ? `${message}: ${error.message}` : message);
  };
  const store = await openStore({ kind: 'postgres', url, poolSize: 2 }, { notice, patience: PATIENCE });
  // On a busy machine the store may report another task too.
  return { url, toldOf: (task: string) => told.filter((line) => line.startsWith(task)), store };
}

async function listeners(url: string, database: string): Promise<number[]> {
  const rows = await execute<{ pid: number }>(
    url,
    `select pid from pg_stat_activity where datname = $1 and query like 'LISTEN%'`,
    [database],
  );
  return rows.map(({ pid }) => pid);
}

async function rowOf<Row extends object>(url: string, query: string): Promise<Row> {
  const [row] = await execute<Row>(url, query);
  assert.ok(row);
  return row;
}
