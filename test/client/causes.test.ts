import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createClient, memoryTokens, WalkError } from '../../client/src/index.ts';

const LOGIN = { body: { username: 'ada', password: 'a long password' } };
const TOKEN = { token: 'a' };

it('A failure without an answer has its cause: an address that is none, a port without a service, an answer that breaks off', async (t) => {
  const server = createServer((_asked, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"code":200,');
    void setTimeout(10).then(() => reply.destroy());
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const [url, why] of [
    ['htp://nowhere', /unknown scheme/],
    ['http://127.0.0.1:1', /bad port|ECONNREFUSED/],
    [`http://127.0.0.1:${port}`, /other side closed|terminated/],
  ] as const) {
    const stoa = createClient({ url, tokens: memoryTokens() });
    const result = await stoa.call('login', LOGIN);
    assert.ok(!result.ok && result.error.error === 'network', url);
    assert.ok(result.cause instanceof Error, url);
    assert.match(`${result.cause.message} ${result.cause.cause}`, why, url);
  }
});

it('A call that waits for a refresh without an answer, and one that is aborted meanwhile, have the cause', async (t) => {
  const late = new Error('No network.');
  t.mock.method(globalThis, 'fetch', async () => {
    await setTimeout(50);
    throw late;
  });
  const stoa = createClient({ url: 'http://127.0.0.1:1', tokens: memoryTokens('a') });
  const reason = new Error('The page was left.');
  const leaving = new AbortController();
  const calls = [stoa.call('getMe'), stoa.call('getMe', { signal: leaving.signal })];
  leaving.abort(reason);
  const results = await Promise.all(calls);
  assert.deepEqual(
    results.map((result) => !result.ok && [result.error.error, result.cause]),
    [
      ['network', late],
      ['aborted', reason],
    ],
  );
});

it('A refresh that takes too long is no abort of the call, and says so by its cause', async (t) => {
  const { timeout } = AbortSignal;
  t.mock.method(AbortSignal, 'timeout', () => timeout(50));
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stoa = createClient({ url: `http://127.0.0.1:${port}`, tokens: memoryTokens('a') });
  const result = await stoa.call('getMe');
  assert.ok(!result.ok && result.error.error === 'network');
  assert.ok(result.cause instanceof DOMException && result.cause.name === 'TimeoutError', `${result.cause}`);
});

it('A call that cannot be sent is a failure that says why: a header, a body or a path that is none', async () => {
  const stoa = createClient({ url: 'http://127.0.0.1:1', ...TOKEN });
  const headers = { 'x-name': '\u20ac' };
  const loop: { self?: object } = {};
  loop.self = loop;
  const calls = [
    stoa.call('getMe', { headers }),
    stoa.call('login', { ...LOGIN, headers }),
    stoa.call('createContent', { body: { title: 'x', content: 'x', meta: loop } }),
    stoa.call('getContentBySlug', { path: { slug: '\ud800' } }),
  ];
  for (const result of await Promise.all(calls)) {
    assert.ok(!result.ok && result.error.error === 'not_sent', JSON.stringify(result));
    assert.ok(result.status === 0 && result.cause instanceof Error);
    assert.ok(result.error.message.endsWith(result.cause.message), result.error.message);
  }
  const walked = stoa.walk('listContent', { headers }).next();
  await assert.rejects(walked, (error) => error instanceof WalkError && error.cause instanceof TypeError);
});
