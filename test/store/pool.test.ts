// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answered, call, newAccount } from '../support/client.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { newFlag, raise, raised } from '../support/flag.ts';
import { holdConnection } from '../support/gated-operations.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

describe('Connections that are all in use', () => {
  it('A service whose connections are all in use answers 503 in about two seconds, and recovers', async (t) => {
    const [end, hasBegun] = [newFlag(), [newFlag(), newFlag()]];
    // Before the service, which waits for its reads when it stops.
    t.after(() => raise(end));
    const engine = await sameDatabase(t, postgres);
    const { token } = await newAccount((await startService(t, engine)).url);
    const { url, store } = await startService(t, engine, { DATABASE_POOL: '2' }, { patience: 1 });
    const holding = Promise.all(hasBegun.map((each) => store.read(holdConnection, [each, end])));
    await Promise.all(hasBegun.map(raised));

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
    raise(end);
    await holding;
    await until(async () => (await call(url, 'GET', '/readyz')).status === 200, 'the service recovers');
    const { body } = await answered(() => call(url, 'GET', '/api/content'));
    assert.equal(body.data.total, 0, JSON.stringify(body));
  });
});
