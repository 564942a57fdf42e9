import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/open-store.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { onOneEngine, PATIENCE, type TestEngine } from '../support/engines.ts';
import { isSlowLine } from '../support/slow-line.ts';

onOneEngine('The log of requests', (engine) => {
  it('A request has one line in the log at level debug, without its query, and none at level info', async (t) => {
    const [line, ...more] = await logOfRequest(t, engine, 'debug');
    const { request_id, method, path, status, msg } = JSON.parse(line ?? '');
    assert.match(request_id, /^\S{8,}$/);
    assert.deepEqual([method, path, status, msg], ['GET', '/api/content', 200, 'request']);
    assert.ok(!line?.includes('private'));
    assert.deepEqual([more, await logOfRequest(t, engine, 'info')], [[], []]);
  });
});

onOneEngine('Names that the seven operations do not know', (engine) => {
  it('An ignored name is in the log at level debug, without its value, and not at level info', async (t) => {
    const request = {
      method: 'POST',
      url: '/api/auth/login?trace=private',
      payload: { username: 'nobody', pasword: 'private', [`x${'y'.repeat(200)}`]: 1 },
    } as const;
    const [ignored, answered] = await logOf(t, engine, 'debug', request);
    assert.deepEqual(JSON.parse(ignored ?? '').ignored, ['pasword', '(a long or unprintable name)', 'trace']);
    assert.ok(!ignored?.includes('private'));
    assert.equal(JSON.parse(answered ?? '').status, 400);
    assert.deepEqual(await logOf(t, engine, 'info', request), []);
  });
});

/** What the service logs of `GET /api/content?keyword=private`. */
function logOfRequest(t: TestContext, engine: TestEngine, level: string): Promise<string[]> {
  return logOf(t, engine, level, '/api/content?keyword=private');
}

async function logOf(
  t: TestContext,
  engine: TestEngine,
  level: string,
  request: string | InjectOptions,
): Promise<string[]> {
  const config = readConfig(await engine.settings(t));
  const [store, hashing] = [await openStore(config.database, { patience: PATIENCE }), new HashingPool(1)];
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
  await app.inject(request);
  return log.filter((line) => !isSlowLine(line));
}
