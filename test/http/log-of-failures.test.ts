import assert from 'node:assert/strict';
import { it } from 'node:test';
import { busy } from '../../src/domain/failure.ts';
import type { App } from '../../src/http/server.ts';
import type { Store } from '../../src/store/store.ts';
import { call } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';

onEveryEngine('Internal errors', (engine) => {
  it('An internal error is 500 to the client, and one line in the log with cause, stack and request id', async (t) => {
    const before = (operation: string) => {
      if (operation === 'content.list')
        throw new TypeError('the cause of it', { cause: new Error('the cause of that') });
    };
    const { url, log } = await startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
    const answer = await call(url, 'GET', '/api/content');
    assertFailure(answer, 500, 'internal');
    assert.doesNotMatch(JSON.stringify(answer.body), /the cause/);

    const lines = log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    assert.equal(lines.length, 1);
    const { msg, err, ...what } = lines[0];
    assert.deepEqual(
      { msg, request_id: what.request_id, method: what.method, route: what.route },
      {
        msg: 'request failed',
        request_id: answer.body.data.request_id,
        method: 'GET',
        route: '/api/content',
      },
    );
    assert.equal(err.type, 'TypeError');
    assert.match(err.message, /the cause of it/);
    // Where it happened, and what was behind it.
    assert.match(err.stack, /log-of-failures\.test\.ts:\d+/);
    assert.match(err.stack, /caused by: Error: the cause of that/);
  });

  it('Refusals with `busy` write no errors and ten lines a minute at most, and count as no server errors', async (t) => {
    const before = (operation: string) => {
      if (operation === 'content.list') throw busy('Too much.');
    };
    let server: App | undefined;
    const beforeRoutes = async (bare: App) => {
      server = bare;
    };
    const wrap = (store: Store) => observed(store, { before });
    const { url, log } = await startService(t, engine, {}, { wrap, beforeRoutes });
    for (let each = 0; each < 15; each++) assertFailure(await call(url, 'GET', '/api/content'), 503, 'busy');

    const lines = log.map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.filter(({ level }) => level >= 50),
      [],
    );
    const refused = lines.filter(({ msg }) => msg === 'request refused');
    assert.equal(refused.length, 10);
    const { level, failure, route, cause } = refused[0];
    assert.deepEqual([level, failure, route, cause], [40, 'busy', '/api/content', 'Too much.']);
    assert.equal(server?.requestTotals.serverErrors, 0);
  });
});
