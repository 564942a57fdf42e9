import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, mock, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { sqlite } from '../support/engines.ts';
import { rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Instead of 16,000, which take this machine ten seconds. */
const IN_ALL = 40;
const limits: { connections: number } = ADMISSION;
/** Instead of a second. */
const SWEEP_MS = 50;
const times: { timeoutCheck: number } = LIMITS;
const [PROXY, ONE, OTHER, MANY] = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

/** Of connections the database knows nothing, so one engine is enough. */
const engine = sqlite;

/** Opens connections one after the other until one is not served; resolves with those that are. */
async function openAll(t: TestContext, url: string, source: string): Promise<Socket[]> {
  const open: Socket[] = [];
  while (open.length <= IN_ALL) {
    const socket = sendRaw(t, url, rawGet('/livez'), source);
    const isServed = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ]);
    if (!isServed) break;
    open.push(socket);
  }
  return open;
}

const told = (log: readonly string[]) => log.filter((line) => line.includes('connections were refused'));

describe('Limits of connections', { concurrency: true }, () => {
  before(() => {
    mock.property(limits, 'connections', IN_ALL);
    mock.property(times, 'timeoutCheck', SWEEP_MS);
  });
  after(() => mock.reset());

  it('A source has half of the connections, one more is closed at once, and others are served', async (t) => {
    const { url, log } = await startService(t, engine);
    const open = await openAll(t, url, ONE);
    assert.equal(open.length, IN_ALL / 2);
    const others = await openAll(t, url, OTHER);
    assert.equal(others.length, IN_ALL / 4);

    const ended = others.map((socket) => once(socket, 'close'));
    for (const socket of others) socket.end(rawGet('/livez', 'Connection: close\r\n'));
    await Promise.all(ended);
    assert.equal((await openAll(t, url, OTHER)).length, IN_ALL / 4);
    const last = sendRaw(t, url, rawGet('/livez', 'Connection: close\r\n'), ONE);
    assert.equal(await text(last).catch(() => ''), '');
    await until(() => told(log).length > 0, 'the log tells of refused connections');
    assert.match(told(log)[0] ?? '', /"refused":\d/);
  });

  it('Refused connections are logged once a minute, with the number since the last line', async (t) => {
    let ahead = 0;
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + ahead);
    const { url, log } = await startService(t, engine);
    await openAll(t, url, MANY);
    await until(() => told(log).length > 0, 'the log tells of refused connections');
    assert.match(told(log)[0] ?? '', /"refused":1\D/);
    for (let more = 0; more < 3; more++) await text(sendRaw(t, url, rawGet('/livez'), MANY)).catch(() => '');
    await pause(10 * SWEEP_MS);
    assert.equal(told(log).length, 1);
    ahead = MINUTE_MS;
    await until(() => told(log).length > 1, 'the log tells of refused connections again');
    assert.match(told(log)[1] ?? '', /"refused":3\D/);
  });

  it('A connection that the system could not give ends nothing, and the log says why', async (t) => {
    const { server, url, log } = await startService(t, engine);
    server.emit('error', new Error('accept ENFILE'));
    await until(() => told(log).length > 0, 'the log tells of refused connections');
    assert.match(told(log)[0] ?? '', /"refused":1,.*"cause":"accept ENFILE"/);
    assert.match(
      await text(sendRaw(t, url, rawGet('/livez', 'Connection: close\r\n'), ONE)),
      /^HTTP\/1.1 200/,
    );
  });

  it('A proxy that TRUST_PROXY names may have all connections, and no more', async (t) => {
    const { url } = await startService(t, engine, { TRUST_PROXY: `10.0.0.0/8,${PROXY}` });
    assert.equal((await openAll(t, url, PROXY)).length, IN_ALL);
  });
});
