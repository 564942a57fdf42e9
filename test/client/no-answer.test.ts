import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, it, mock, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createClient, memoryTokens } from '../../client/src/index.ts';

/** A service that leaves the answer to the test. */
async function startSilent(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const asked = async (): Promise<ServerResponse> => (await once(server, 'request'))[1];
  return { stoa: createClient({ url: `http://127.0.0.1:${port}`, tokens: memoryTokens() }), asked };
}

// The tests run one after another, because the clock is that of the process.
mock.timers.enable({ apis: ['setTimeout'] });
after(() => mock.timers.reset());

const LOGIN = { body: { username: 'ada', password: 'a long password' } };

for (const [kind, signal] of [
  ['', undefined],
  [' with a signal of its own', new AbortController().signal],
] as const)
  it(`A call${kind} whose answer does not begin within 30 s has none, and is given up`, async (t) => {
    const { stoa, asked } = await startSilent(t);
    let isOver = false;
    const call = stoa.call('login', { ...LOGIN, signal }).finally(() => {
      isOver = true;
    });
    const reply = await asked();
    mock.timers.tick(29_999);
    await setImmediate();
    assert.ok(!isOver);
    mock.timers.tick(1);
    const result = await call;
    assert.deepEqual([result.ok, result.status, !result.ok && result.error.error], [false, 0, 'network']);
    await once(reply, 'close');
  });

it('A call has a second more for each 16 KiB that it sends', async (t) => {
  const { stoa, asked } = await startSilent(t);
  let isOver = false;
  const body = { title: 'T', content: 'ä'.repeat(512 * 1024) };
  const call = stoa.call('createContent', { body, headers: { authorization: 'Bearer a' } }).finally(() => {
    isOver = true;
  });
  await asked();
  mock.timers.tick(93_999);
  await setImmediate();
  assert.ok(!isOver);
  mock.timers.tick(1);
  assert.equal((await call).status, 0);
});

it('A signal aborts a call before its answer, while its body is read and while its stream is read, without AbortSignal.any', async (t) => {
  // Node.js 20.0 to 20.2 and Safari 17.0 to 17.3 have none.
  const { any } = AbortSignal;
  Reflect.deleteProperty(AbortSignal, 'any');
  t.after(() => {
    AbortSignal.any = any;
  });
  const { stoa, asked } = await startSilent(t);
  const headers = { authorization: 'Bearer a' };
  const errorOf = async (call: ReturnType<typeof stoa.call<'getMe'>>) => {
    const result = await call;
    return !result.ok && result.error.error;
  };
  for (const begins of [false, true]) {
    const leaving = new AbortController();
    const call = errorOf(stoa.call('getMe', { headers, signal: leaving.signal }));
    const reply = await asked();
    if (begins) reply.writeHead(200, { 'content-type': 'application/json' }).write('{"code":200,');
    await setImmediate();
    leaving.abort();
    assert.equal(await call, 'aborted');
    await once(reply, 'close');
  }
  assert.equal(await errorOf(stoa.call('getMe', { headers, signal: AbortSignal.abort() })), 'aborted');

  const leaving = new AbortController();
  const call = stoa.call('listenToEvents', { headers, signal: leaving.signal });
  const reply = await asked();
  reply.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
  const stream = await call;
  assert.ok(stream.ok);
  const reader = stream.data.getReader();
  await reader.read();
  leaving.abort();
  await assert.rejects(reader.read());
  await once(reply, 'close');
});

it('An answer that has begun may take as long as it takes', async (t) => {
  const { stoa, asked } = await startSilent(t);
  const { fetch } = globalThis;
  const begun = Promise.withResolvers<void>();
  t.mock.method(globalThis, 'fetch', async (...args: Parameters<typeof fetch>) => {
    const answer = await fetch(...args);
    begun.resolve();
    return answer;
  });
  const call = stoa.call('login', LOGIN);
  const reply = await asked();
  reply.writeHead(200, { 'content-type': 'application/json' }).write('{"code":200,');
  await begun.promise;
  await setImmediate();
  mock.timers.tick(600_000);
  reply.end('"message":"ok","data":{"id":1}}');
  assert.equal((await call).ok, true);
});
