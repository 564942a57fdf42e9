import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it, mock, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../src/http/limits.ts';
import { newAccount } from '../support/client.ts';
import { temporaryFolder } from '../support/engines.ts';
import { firstOf, rawGet, rawPost, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

/** So many bytes have half a minute more. */
const CREDIT = 30 * LIMITS.slowestBody;

/** How often connections are checked; several times in each round below. */
const CHECK_MS = 25;
const limits: { timeoutCheck: number; requestTimeout: number } = LIMITS;
mock.property(limits, 'timeoutCheck', CHECK_MS);

/** A service whose clock runs ahead: on a busy machine nobody is late by accident. */
async function startAhead(t: TestContext) {
  const engine = { name: '', settings: async () => ({ DATA_DIR: await temporaryFolder(t) }) };
  let passed = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + passed);
  const { url } = await startService(t, engine);
  const { token } = await newAccount(url);
  const pass = async (ms: number) => {
    passed += ms;
    await pause(4 * CHECK_MS);
  };
  return { url, token, pass };
}

/** Begins a request whose body is still to come. */
async function beginBody(t: TestContext, url: string, token: string, length: number) {
  const socket = sendRaw(
    t,
    url,
    rawPost('/api/content', length, token).replace('Host', 'Expect: 100-continue\r\nHost'),
  );
  assert.match(await firstOf(socket), /^HTTP\/1\.1 100 /);
  return socket;
}

it('A connection that begins no request is closed after a while, whatever it sends, and no other is', async (t) => {
  // Only what begins no request is looked at.
  const { requestTimeout } = limits;
  limits.requestTimeout = 10 * LIMITS.idleTimeout;
  t.after(() => {
    limits.requestTimeout = requestTimeout;
  });
  const { url, token, pass } = await startAhead(t);
  const [idle, used] = [0, 1].map(() => sendRaw(t, url, rawGet('/livez')));
  assert.ok(idle && used);
  await Promise.all([idle, used].map(firstOf));
  const body = JSON.stringify({ title: 'T', content: 'C' });
  const busy = await beginBody(t, url, token, body.length);

  idle.resume();
  for (let round = 0; round < 20 && !idle.closed; round++) {
    idle.write('\r\n');
    used.write(rawGet('/livez'));
    assert.match(await firstOf(used), /^HTTP\/1\.1 200 /);
    await pass(LIMITS.idleTimeout / 5);
  }
  assert.ok(idle.closed, 'the idle connection is open still');
  busy.write(body);
  assert.match(await firstOf(busy), /^HTTP\/1\.1 200 /);
});

it('A body has a second more for each 16 KiB that came, and one that arrives more slowly gets 408', async (t) => {
  const { url, token, pass } = await startAhead(t);
  const body = JSON.stringify({ title: 'T', content: 'x'.repeat(2 * CREDIT) });
  const [steady, slow] = [
    await beginBody(t, url, token, body.length),
    await beginBody(t, url, token, body.length),
  ];
  steady.write(body.slice(0, CREDIT));
  slow.write(body.slice(0, 100));
  const refusal = text(slow);
  await pass(0);
  await pass(30_000);
  assert.match(await refusal, /^HTTP\/1\.1 408 /);
  steady.write(body.slice(CREDIT));
  assert.match(await firstOf(steady), /^HTTP\/1\.1 200 /);
  const late = await beginBody(t, url, token, body.length);
  late.write(body.slice(0, CREDIT));
  await pass(0);
  const end = text(late);
  await pass(50_000);
  assert.match(await end, /^HTTP\/1\.1 408 /);
});
