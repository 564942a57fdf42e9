// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { connect, execute } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('Searches on PostgreSQL', () => {
  it('Searches use a third of the connections, one of them for signed-in users, and writes continue', async (t) => {
    const engine = await sameDatabase(t, postgres);
    const { url } = await startService(t, engine, { TRUST_PROXY: '127.0.0.1', DATABASE_POOL: '10' });
    const { DATABASE_URL: database = '' } = await engine.settings(t);
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token);
    const holder = await connect(database);
    t.after(() => holder.end());
    await holder.query('begin; lock table content_tags in access exclusive mode');
    const waiting = async () => {
      const [row] = await execute<{ count: number }>(
        database,
        `select count(*)::int from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%content_tags%'`,
      );
      return row?.count ?? 0;
    };
    const untilWaiting = (most: number) =>
      until(async () => {
        const count = await waiting();
        assert.ok(count <= most, `${count} searches are under way`);
        return count === most;
      }, `${most} searches are under way`);
    // A search that waits too long ends, also one that waits for its turn.
    let isOver = false;
    t.after(() => {
      isOver = true;
    });
    const search = async (options: object) => {
      while (!isOver) await call(url, 'GET', '/api/content?tag=a', options);
    };
    const searches = Array.from({ length: 20 }, (_, source) =>
      search({ headers: { 'x-forwarded-for': `192.0.2.${source}` } }),
    );
    await untilWaiting(2);
    searches.push(search({ token }));
    await untilWaiting(3);
    const body = { category: 'changed' };
    assert.equal((await call(url, 'PUT', `/api/content/${id}`, { token, body })).status, 200);
    await untilWaiting(3);
    isOver = true;
    await holder.query('rollback');
    await Promise.all(searches);
  });
});
