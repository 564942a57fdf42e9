// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { readOperation } from '../../src/store/operation.ts';
import { call, newAccount } from '../support/client.ts';
import { postgres } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';

/** Longer than anybody waits for a connection, and shorter than a long read may take. */
const SLEEP_SECONDS = 2.75;

const sleep = readOperation(
  'test.sleep',
  async (db, _: null): Promise<void> => {
    await sql`select pg_sleep(${SLEEP_SECONDS})`.execute(db);
  },
  () => true,
);

describe('Connections that are all in use', () => {
  it('A service whose connections are all in use answers 503 in about two seconds, and recovers', async (t) => {
    const { url, store } = await startService(t, postgres, { DATABASE_POOL: '2' }, { patience: 1 });
    const { token } = await newAccount(url);
    const sleeping = [store.read(sleep, null), store.read(sleep, null)];

    const [began, ours] = [performance.now(), stopwatch()];
    const [live, ...refused] = await Promise.all([
      call(url, 'GET', '/livez'),
      call(url, 'GET', '/api/content'),
      call(url, 'POST', '/api/content', { token, body: { title: 't', content: 'c' } }),
      call(url, 'GET', '/readyz'),
    ]);
    const [took, oursTook] = [performance.now() - began, ours()];
    t.diagnostic(`refused after ${Math.round(took)} ms`);
    assert.ok(took > 1_500 && oursTook < 3_500, `after ${took} ms`);
    assert.equal(live.status, 200);
    for (const answer of refused) {
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.equal(answer.body.data.error, 'unavailable');
    }
    await Promise.all(sleeping);
    assert.equal((await call(url, 'GET', '/readyz')).status, 200);
    assert.equal((await call(url, 'GET', '/api/content')).body.data.total, 0);
  });
});
