// Needs: processes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { manyItems } from '../support/bare-item.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, sqlite, type TestEngine } from '../support/engines.ts';
import { memoryOf } from '../support/memory.ts';
import { execOn } from '../support/place.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { isHeldByService, rawGet, sendRaw } from '../support/raw.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
/** Of the promise: whatever the clients do, the service takes no more memory. */
const MOST_MEMORY = 512 * MIB;
const UNREAD_TIMEOUT_MS = 15_000;
/** A page of 20 items of this many control characters is the largest: six characters of JSON for each byte. */
const DEAREST = '\u0001'.repeat(13_100);

async function assertStaysSmall(t: TestContext, { child, url }: ServiceProcess): Promise<void> {
  const peak = await settledPeak(child.pid);
  t.diagnostic(`at most ${Math.round(peak / MIB)} MiB resident`);
  assert.ok(peak < MOST_MEMORY, `${Math.round(peak / MIB)} MiB`);
  assert.equal((await call(url, 'GET', '/livez')).status, 200);
}

/** The largest resident memory of the process ever, in bytes, once it has stopped growing. */
async function settledPeak(pid: number | undefined): Promise<number> {
  for (let last = 0; ; ) {
    await pause(3_000);
    const now = memoryOf(pid, 'VmHWM');
    if (now === last) return now;
    last = now;
  }
}

async function startWithItems(t: TestContext, engine: TestEngine, count: number, content: string) {
  const service = await startProcess(t, await engine.settings(t));
  const { token } = await newAccount(service.url);
  for (let index = 0; index < count; index++) await newItem(service.url, token, { content });
  return service;
}

onEveryEngine('Clients that never read', (engine) => {
  it('Eight clients that list 100 items of 1 MiB and never read fill no memory', async (t) => {
    const settings = await engine.settings(t);
    const service = await startProcess(t, settings);
    const { id } = await newAccount(service.url);
    // By one statement: 100 requests of a mebibyte would take seconds of a processor.
    await execOn(settings, manyItems(id, { count: 100, title: 'large', content: 'x'.repeat(MIB) }));
    const { body } = await call(service.url, 'GET', '/api/content?per_page=1');
    assert.equal(body.data.total, 100);
    for (let client = 0; client < 8; client++) sendRaw(t, service.url, rawGet('/api/content?per_page=100'));
    await assertStaysSmall(t, service);
  });
});

describe('Clients that do not read, whatever the engine', { concurrency: true }, () => {
  it('A client that asks for a large file 1,000 times and never reads fills no memory', async (t) => {
    const service = await startProcess(t, await sqlite.settings(t));
    sendRaw(t, service.url, rawGet('/docs/swagger-ui-bundle.js').repeat(1_000));
    await assertStaysSmall(t, service);
  });

  it('Sixty-four clients that ask for the largest page 30 times and never read fill no memory', async (t) => {
    const service = await startWithItems(t, sqlite, 20, DEAREST);
    for (let client = 0; client < 64; client++) sendRaw(t, service.url, rawGet('/api/content').repeat(30));
    await assertStaysSmall(t, service);
  });

  it('A client that does not read is disconnected after 15 s or more, and a slow reader is served', async (t) => {
    const service = await startWithItems(t, sqlite, 20, DEAREST);
    const begun = performance.now();
    // More than the kernel takes.
    const unread = sendRaw(t, service.url, rawGet('/api/content').repeat(10));
    const four = rawGet('/api/content').repeat(3) + rawGet('/api/content', 'Connection: close\r\n');
    const slow = sendRaw(t, service.url, four);

    let hungUpAfter = 0;
    let taken = 0;
    slow.on('readable', () => {});
    while (!slow.readableEnded && !slow.destroyed) {
      await pause(400);
      taken += slow.read(Math.min(slow.readableLength, 64 * 1024))?.length ?? 0;
      if (hungUpAfter === 0 && !isHeldByService(unread)) hungUpAfter = performance.now() - begun;
    }
    const slowTook = performance.now() - begun;
    t.diagnostic(`hung up on after ${hungUpAfter} ms; ${taken} bytes taken slowly in ${slowTook} ms`);
    assert.ok(hungUpAfter >= UNREAD_TIMEOUT_MS, `hung up on after ${hungUpAfter} ms`);
    assert.ok(slowTook > 2 * UNREAD_TIMEOUT_MS, 'slower than the limit, or this shows nothing');
    assert.ok(taken > 4 * 20 * 6 * DEAREST.length, `only ${taken} bytes were sent`);
  });

  it('Sixty answers that nobody of one source reads cut no slow reader of another', async (t) => {
    const service = await startWithItems(t, sqlite, 1, '"'.repeat(MIB));
    const item = '/api/content/1';
    // The kernel takes an answer or two.
    const asked = rawGet(item).repeat(3) + rawGet(item, 'Connection: close\r\n');
    const slow = sendRaw(t, service.url, asked, '127.0.0.2');
    await once(slow, 'readable');
    const files = rawGet('/docs/swagger-ui-bundle.js').repeat(4);
    const unread = Array.from({ length: 60 }, () => sendRaw(t, service.url, files));
    await Promise.all(unread.map((socket) => once(socket, 'connect')));
    await until(() => unread.some((socket) => !isHeldByService(socket)), 'one of them is disconnected');
    let taken = 0;
    for await (const bytes of slow) taken += bytes.length;
    assert.ok(taken > 4 * 2 * MIB, `${taken} bytes`);
  });

  it('A client that never closes its side is disconnected after a request that never ended', async (t) => {
    const service = await startProcess(t, await sqlite.settings(t));
    const port = Number(new URL(service.url).port);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    t.after(() => socket.destroy());
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await once(socket, 'end');
    assert.match(answer, /^HTTP\/1.1 408 /);
    assert.ok(isHeldByService(socket), 'the client has a while to read');
    while (isHeldByService(socket)) await pause(500);
  });
});
