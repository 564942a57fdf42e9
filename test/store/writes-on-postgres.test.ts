// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { connect, execute } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('Writes of one account on PostgreSQL', () => {
  it('Changes of one account that wait for a row hold three of ten connections, and others read, write and sign in', async (t) => {
    const engine = await sameDatabase(t, postgres);
    const { url } = await startService(t, engine, { DATABASE_POOL: '10' });
    const { DATABASE_URL: database = '' } = await engine.settings(t);
    const [{ token }, other] = [await newAccount(url), await newAccount(url)];
    const [own, ofOther] = [await newItem(url, token), await newItem(url, other.token)];
    const holder = await connect(database);
    t.after(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from content where id = $1 for update', [own.id]);

    const change = (by: string, id: number) =>
      call(url, 'PUT', `/api/content/${id}`, { token: by, body: { title: 'changed' } });
    const changes = Array.from({ length: 20 }, () => change(token, own.id));
    const waiting = () => waitingOn(database);
    await until(async () => (await waiting()) === 3, 'three changes wait for the row');
    const login = { username: other.username, password: PASSWORD };
    const answers = await Promise.all([
      call(url, 'GET', `/api/content/${ofOther.id}`),
      change(other.token, ofOther.id),
      call(url, 'POST', '/api/auth/login', { body: login }),
    ]);
    assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200, 200], 3]);
    await holder.query('rollback');
    assert.deepEqual(new Set((await Promise.all(changes)).map(({ status }) => status)), new Set([200]));
  });

  it('Changes of several accounts that wait for rows hold half of the connections, and others read and sign in', async (t) => {
    const engine = await sameDatabase(t, postgres);
    const { url } = await startService(t, engine, { DATABASE_POOL: '10' });
    const { DATABASE_URL: database = '' } = await engine.settings(t);
    const owners = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { token } = await newAccount(url);
        return { token, id: (await newItem(url, token)).id };
      }),
    );
    const other = await newAccount(url);
    const holder = await connect(database);
    t.after(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from content for update');

    const changes = owners.flatMap(({ token, id }) =>
      [1, 2, 3].map((title) =>
        call(url, 'PUT', `/api/content/${id}`, { token, body: { title: `${title}` } }),
      ),
    );
    await until(async () => (await waitingOn(database)) >= 5, 'as many changes as may wait for the rows');
    const login = { username: other.username, password: PASSWORD };
    const answers = await Promise.all([
      call(url, 'GET', `/api/content/${owners[0]?.id}`),
      call(url, 'POST', '/api/auth/login', { body: login }),
    ]);
    assert.deepEqual([answers.map(({ status }) => status), await waitingOn(database)], [[200, 200], 5]);
    await holder.query('rollback');
    assert.deepEqual(new Set((await Promise.all(changes)).map(({ status }) => status)), new Set([200]));
  });
});

/** Connections that wait for a lock. */
async function waitingOn(database: string): Promise<number> {
  const [row] = await execute<{ count: number }>(
    database,
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}
