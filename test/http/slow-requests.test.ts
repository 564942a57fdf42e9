import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { hasAdmin } from '../../src/accounts/admins.ts';
import { BoundedLog } from '../../src/domain/bounded-log.ts';
import { SLOW_MS } from '../../src/domain/spent.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import type { App } from '../../src/http/server.ts';
import { timedStore } from '../../src/store/timed-store.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { type RunningService, startService } from '../support/service.ts';

const LATE_MS = SLOW_MS + 50;

/** Lines about requests. On a busy machine a job or the start of the service has a slow operation too. */
function slowLines({ log }: Pick<RunningService, 'log'>) {
  return log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'slow request');
}

onEveryEngine('Slow requests', (engine) => {
  it('A slow request has one line in the log with the operations that it waited for, and a quick one has none', async (t) => {
    const slow = new Set<string>();
    const before = (operation: string) => (slow.has(operation) ? pause(LATE_MS) : undefined);
    const service = await startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
    const { token } = await newAccount(service.url);
    const body = { title: 'private', content: 'private' };
    const create = () => call(service.url, 'POST', '/api/content', { token, body });
    await create();
    // On a busy machine it may be slow.
    assert.ok(slowLines(service).every(({ ms }) => ms >= SLOW_MS));
    slow.add('content.create');
    const answer = await create();
    const id = answer.headers.get('x-request-id');
    // On a busy machine other lines come meanwhile, and other operations of the request take as long.
    const lines = slowLines(service).filter(({ request_id }) => request_id === id);
    assert.equal(lines.length, 1);
    const [line] = lines;
    const { method, route, status, spent } = line;
    assert.deepEqual([method, route, status], ['POST', '/api/content', 200]);
    const times = Object.values<number>(spent);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
    // The creation waits in more than one operation.
    const all = times.reduce((sum, ms) => sum + ms, 0);
    assert.ok(spent['content.create'] >= LATE_MS / 2 && all >= LATE_MS - 1, JSON.stringify(line));
    assert.ok(line.ms >= spent['content.create'], JSON.stringify(line));
    assert.ok(!JSON.stringify(line).includes('private'));
  });

  it('A request whose body comes late is not slow', async (t) => {
    const arrived = Promise.withResolvers<void>();
    const beforeRoutes = async (bare: App) => {
      bare.addHook('preParsing', async ({ url }) => {
        if (url === '/api/content') arrived.resolve();
      });
    };
    const service = await startService(t, engine, {}, { beforeRoutes });
    const { token } = await newAccount(service.url);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sending = request(`${service.url}/api/content`, { method: 'POST', headers });
    const began = performance.now();
    sending.write('{"title":"t",');
    await arrived.promise;
    await pause(LATE_MS);
    sending.end('"content":"c"}');
    const [response] = await once(sending, 'response');
    assert.equal(response.resume().statusCode, 200);
    const own = performance.now() - began - LATE_MS;
    const id = response.headers['x-request-id'];
    const line = slowLines(service).find(({ request_id }) => request_id === id);
    // On a busy machine the request itself may be slow.
    assert.ok(!line || line.ms <= own + 1, JSON.stringify({ ...line, own }));
  });
});

onOneEngine('Slow operations', (engine) => {
  it('A slow operation of the background has a line of its own, and of many lines ten are written in a minute', async (t) => {
    const before = () => pause(LATE_MS);
    const { store } = await startService(t, engine);
    const log: string[] = [];
    let minutes = 0;
    const output = pino({}, { write: (line) => log.push(line) });
    const lines = new BoundedLog(output, () => minutes * MINUTE_MS);
    const timed = timedStore(observed(store, { before }), lines);
    await Promise.all(Array.from({ length: 15 }, () => timed.read(hasAdmin, null)));
    assert.equal(log.length, 10);
    const { msg, operation: name, ms } = JSON.parse(log[0] ?? '');
    assert.deepEqual([msg, name], ['slow operation', hasAdmin.name]);
    assert.ok(ms >= LATE_MS - 1, String(ms));
    minutes = 1;
    for (const leftOut of [5, undefined]) {
      lines.note({}, 'slow operation');
      assert.equal(JSON.parse(log.at(-1) ?? '').left_out, leftOut, 'since the line before');
    }
  });
});
