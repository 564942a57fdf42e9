import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { HashingPool } from '../../src/auth/hashing/pool.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/open-store.ts';
import { onEveryEngine, type TestEngine } from '../support/engines.ts';

onEveryEngine('A request', (engine) => {
  it('has one line in the log at level debug, without its query, and none at level info', async (t) => {
    const [line, ...more] = await logOfRequest(t, engine, 'debug');
    const { method, path, status, msg } = JSON.parse(line ?? '');
    assert.deepEqual([method, path, status, msg], ['GET', '/api/content', 200, 'request']);
    assert.ok(!line?.includes('private'));
    assert.deepEqual([more, await logOfRequest(t, engine, 'info')], [[], []]);
  });
});

/** What the service logs of `GET /api/content?keyword=private`. */
async function logOfRequest(t: TestContext, engine: TestEngine, level: string): Promise<string[]> {
  const config = readConfig(await engine.settings(t));
  const [store, hashing] = [await openStore(config.database), new HashingPool(1)];
  const log: string[] = [];
  const app = await buildApp({
    config,
    store,
    hashing,
    logger: pino({ level }, { write: (line) => log.push(line) }),
  });
  t.after(async () => {
    await app.close();
    await Promise.all([store.close(), hashing.close()]);
  });
  assert.equal((await app.inject('/api/content?keyword=private')).statusCode, 200);
  return log;
}
