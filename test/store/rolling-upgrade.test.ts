// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { newAccount } from '../support/client.ts';
import { freePort } from '../support/cluster.ts';
import { ENGINES, postgres } from '../support/engines.ts';
import { failoverClient } from '../support/failover-client.ts';
import { COLUMN_STEP, INDEX_STEP } from '../support/next-steps.ts';
import { placeAt } from '../support/place.ts';
import { type StartCommand, startProcess } from '../support/process.ts';
import { releasedDatabase, releasedService, VERSIONS } from '../support/released-version.ts';

const NEXT: StartCommand = {
  program: process.execPath,
  args: [new URL('../support/next-version.ts', import.meta.url).pathname, 'serve'],
};
const CLIENTS = 12;
/** Each client thinks this long after each item, so that some requests are under way at any moment, and not thousands. */
const THINKS_MS = 50;
/** Each instance serves this long between two restarts. */
const BETWEEN_MS = 1_000;

/** Makes, changes and reads items until `isOver`. */
async function work(t: TestContext, urls: readonly string[], token: string, isOver: () => boolean) {
  const { send } = failoverClient(t, urls);
  let [items, slowest] = [0, 0];
  while (!isOver()) {
    const from = performance.now();
    const { id } = await send('POST', '/api/content', token, { title: 'one', content: '' });
    const changed = await send('PUT', `/api/content/${id}`, token, { content: 'two' });
    assert.equal(changed.version, 2, 'a change was made twice');
    assert.equal((await send('GET', `/api/content/${id}`, token)).version, 2, 'what was answered is lost');
    items++;
    slowest = Math.max(slowest, performance.now() - from);
    await pause(THINKS_MS);
  }
  return { items, slowest };
}

describe('A rolling upgrade on PostgreSQL', { skip: !ENGINES.includes(postgres) }, () => {
  it('Two instances that are replaced one after the other under load lose no request and no answered write', async (t) => {
    const { settings } = await releasedDatabase(t, postgres, VERSIONS.at(-1) ?? '');
    const old = await releasedService(t, VERSIONS.at(-1) ?? '');
    const ports = [await freePort(), await freePort()];
    const start = (port: number | undefined, by: StartCommand) =>
      startProcess(t, { ...settings, PORT: String(port), CONSOLE: 'off' }, by);
    const instances = [await start(ports[0], old), await start(ports[1], old)];
    const urls = instances.map(({ url }) => url);
    const { token } = await newAccount(urls[0] ?? '');

    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      work(t, index % 2 === 0 ? urls : urls.toReversed(), token, () => isOver),
    );
    const failed = Promise.race(
      clients.map((each) =>
        each.then(
          () => undefined,
          (error) => error,
        ),
      ),
    );
    for (const [index, instance] of instances.entries()) {
      await Promise.race([pause(BETWEEN_MS), failed]);
      assert.equal(await instance.stop('SIGTERM'), 0, instance.stdout());
      await start(ports[index], NEXT);
    }
    await Promise.race([pause(BETWEEN_MS), failed]);
    isOver = true;
    const results = await Promise.all(clients);
    const items = results.reduce((sum, each) => sum + each.items, 0);
    const slowest = Math.max(...results.map((each) => each.slowest));
    t.diagnostic(`${items} items, the slowest round of three requests took ${slowest.toFixed(0)} ms`);
    const [left] = await placeAt(settings).sql(
      `SELECT (SELECT count(*) FROM content WHERE title = 'one' AND version = 2)::int AS items,
        (SELECT count(*) FROM migrations WHERE name IN ('${COLUMN_STEP.name}', '${INDEX_STEP.name}'))::int AS steps,
        (SELECT indisvalid FROM pg_index WHERE indexrelid = 'content_by_time_and_title'::regclass) AS valid`,
    );
    assert.deepEqual(left, { items, steps: 2, valid: true });
  });
});
