import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { ROUTES, WITHOUT_HEAD } from '../support/contract.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

const ANYTHING = { undocumented: true };
const METHODS = ['DELETE', 'GET', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

interfaceSuite('Every response', (base) => {
  const samples = {
    'a success': () => call(base.url, 'GET', '/livez'),
    'a wrong request': () => call(base.url, 'POST', '/api/auth/login', { body: {} }),
    'a request without a token': () => call(base.url, 'GET', '/api/users'),
    'an unknown id': () => call(base.url, 'GET', '/api/content/9007199254740991'),
    'an unknown path': () => call(base.url, 'GET', '/nowhere', ANYTHING),
    'a method that the path lacks': () => call(base.url, 'PATCH', '/api/content', ANYTHING),
    'a path that is no URL': () => call(base.url, 'GET', '/api/content/%ZZ', ANYTHING),
    'a content type that is not JSON': () =>
      call(base.url, 'POST', '/api/auth/login', { body: 'x', headers: { 'content-type': 'text/plain' } }),
    'a body that is too large': () =>
      call(base.url, 'POST', '/api/auth/login', { body: { username: 'x'.repeat(5000) } }),
  };
  for (const [title, sample] of Object.entries(samples)) {
    it(`Every response is the envelope, with its code as the status: ${title}`, async () => {
      const { status, headers, body } = await sample();
      assert.equal(body.code, status);
      assert.ok(typeof body.data === 'object' && body.data !== null && !Array.isArray(body.data));
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      if (status !== 200) {
        assert.deepEqual(Object.keys(body), ['code', 'message', 'data']);
        assertFailure({ status, headers, body }, status, body.data.error);
      }
    });

    it(`Every response has a request id of its own: ${title}`, async () => {
      const ids = await Promise.all(
        [sample(), sample()].map(async (each) => (await each).headers.get('x-request-id')),
      );
      assert.match(ids[0] ?? '', /^[\w-]{6,}$/);
      assert.notEqual(ids[0], ids[1]);
    });

    it(`Every response has the security headers and is not cached: ${title}`, async () => {
      const { headers } = await sample();
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*frame-ancestors 'none'/,
      );
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    });

    it(`Every response allows no other origin and does not name its software: ${title}`, async () => {
      const { headers } = await sample();
      for (const name of ['access-control-allow-origin', 'server', 'x-powered-by', 'set-cookie'])
        assert.equal(headers.get(name), null, name);
    });
  }

  it('The request id that a client sends is not used', async () => {
    const given = { 'x-request-id': 'mine', 'request-id': 'mine' };
    const { headers } = await call(base.url, 'GET', '/livez', { headers: given });
    assert.notEqual(headers.get('x-request-id'), 'mine');
  });

  // One for all of them: a service in production hashes no four hundred passwords of one client at a time.
  let member: ReturnType<typeof newAccount> | undefined;
  const paths = new Map<string, string[]>();
  for (const { method, path } of ROUTES) paths.set(path, [...(paths.get(path) ?? []), method]);
  for (const [path, known] of paths)
    for (const method of METHODS.filter((each) => !known.includes(each)))
      it(`${method} ${path} gets 405 with Allow, with a token or without`, async () => {
        member ??= newAccount(base.url);
        const { token } = await member;
        const hasHead = known.includes('GET') && !WITHOUT_HEAD.includes(path);
        const allow = [...known, ...(hasHead ? ['HEAD'] : [])].sort().join(', ');
        for (const options of [{}, { token }, method === 'GET' ? {} : { body: '{"broken' }]) {
          const answer = await call(base.url, method, path.replace('{id}', '1'), { ...options, ...ANYTHING });
          assertFailure(answer, 405, 'method_not_allowed');
          assert.equal(answer.headers.get('allow'), allow);
        }
      });

  it('An unknown path gets 404 with every method', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/auth',
      '/api/user',
      '/API/users',
      '/api/content/1/2',
      '/api//users',
    ])
      for (const method of METHODS)
        assertFailure(await call(base.url, method, path, ANYTHING), 404, 'not_found');
  });

  it('HEAD answers the status of GET', async () => {
    const { token } = await newAccount(base.url);
    assert.equal((await call(base.url, 'HEAD', '/api/users')).status, 401);
    assert.equal((await call(base.url, 'HEAD', '/api/users', { token })).status, 200);
    assert.equal((await call(base.url, 'HEAD', '/api/content/9007199254740991')).status, 404);
  });
});
