import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call } from '../support/client.ts';
import { CONTRACT, schemaNamed } from '../support/contract.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

interfaceSuite('Operation of the service', (base) => {
  for (const path of ['/livez', '/readyz'])
    it(`The service says at ${path} that it is well`, async () => {
      const { status, body } = await call(base.url, 'GET', path);
      assert.deepEqual([status, body.data.status], [200, 'ok']);
    });

  it('The service says at / where the reference is', async () => {
    const { status, body } = await call(base.url, 'GET', '/');
    assert.deepEqual([status, body.data.name], [200, 'Stoa']);
    for (const each of [body.data.reference, body.data.openapi]) {
      const answer = await fetch(new URL(each, base.url));
      assert.equal(answer.status, 200);
      await answer.arrayBuffer();
    }
  });

  it('The service serves the committed OpenAPI document', async () => {
    const { status, body } = await call(base.url, 'GET', '/openapi.json', { undocumented: true });
    assert.equal(status, 200);
    assert.deepEqual(body, CONTRACT);
  });

  it('The OpenAPI document describes every operation of the interface', () => {
    for (const [path, method] of [
      ['/api/auth/login', 'post'],
      ['/api/auth/register', 'post'],
      ['/api/auth/refresh', 'post'],
      ['/api/users', 'get'],
      ['/api/content', 'post'],
      ['/api/content/{id}', 'put'],
      ['/api/content/{id}', 'delete'],
    ] as const)
      assert.ok(CONTRACT.paths[path]?.[method], `${method} ${path}`);
  });

  it('Each operation documents only 200, 400, 401, 403, 404, 500 and statuses of HTTP or of a header that it takes', () => {
    const own = new Set(['200', '400', '401', '403', '404', '500']);
    const ofHttp = new Set(['408', '413', '415', '429', '431', '503']);
    const ofHeaders: Record<string, string> = {
      304: 'if-none-match',
      409: 'idempotency-key',
      412: 'if-match',
      422: 'idempotency-key',
    };
    const paths = Object.entries(CONTRACT.paths).filter(([path]) => path.startsWith('/api/'));
    for (const [path, operations] of paths)
      for (const { responses, parameters = [] } of Object.values(operations))
        for (const status of Object.keys(responses)) {
          // Its body has what If-Match says of a single item.
          const isOfBody = path === '/api/content/bulk' && status === '412';
          // A slug that the item had before leads to the one that it has.
          const isOfSlug = path === '/api/content/by-slug/{slug}' && status === '301';
          // One renaming of a kind runs at a time, and the next one waits for its end.
          const isOfRenaming = /^\/api\/content\/(tags|categories)\/\{name\}$/.test(path) && status === '409';
          const isAskedFor =
            isOfBody || isOfSlug || isOfRenaming || parameters.some(({ name }) => name === ofHeaders[status]);
          assert.ok(own.has(status) || ofHttp.has(status) || isAskedFor, `${path}: ${status}`);
        }
  });

  it('No description of an answer names a header that its operation does not take', () => {
    const headers = ['If-Match', 'If-None-Match', 'Idempotency-Key'];
    for (const [path, operations] of Object.entries(CONTRACT.paths))
      for (const { responses, parameters = [] } of Object.values(operations))
        for (const [status, { description }] of Object.entries(responses))
          for (const header of headers.filter((each) => description.includes(each)))
            assert.ok(
              parameters.some(({ name }) => name === header.toLowerCase()),
              `${path}: ${status} names ${header}`,
            );
  });

  it('A list whose operation takes an order is described as being in that order', () => {
    for (const [path, { get }] of Object.entries(CONTRACT.paths)) {
      if (!get?.parameters?.some(({ name }) => name === 'sort')) continue;
      const [{ schema } = {}] = Object.values(get.responses['200']?.content ?? {});
      const page = schemaNamed(Object(schema).properties.data.$ref);
      assert.match(Object(page).properties.items.description, /^In the order of `sort`/, path);
    }
  });

  it('The public keys are in the form of RFC 7517, with nothing private', async () => {
    const { status, headers, body } = await call(base.url, 'GET', '/.well-known/jwks.json');
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'public, max-age=300');
    const { keys } = Object(body);
    assert.ok(keys.length >= 1);
    for (const { x, kid, ...rest } of keys) {
      assert.deepEqual(rest, { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
      assert.ok(x && kid);
    }
  });

  it('The reference is served by the service, with no address that leads elsewhere', async () => {
    const page = await fetch(`${base.url}/docs`);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const html = await page.text();
    const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    assert.ok(addresses.length >= 3);
    for (const address of addresses) {
      const url = new URL(address, page.url);
      assert.equal(url.origin, new URL(base.url).origin);
      const asset = await fetch(url);
      assert.equal(asset.status, 200, address);
      assert.ok((await asset.arrayBuffer()).byteLength > 0);
    }
  });

  it('The reference has no other file', async () => {
    for (const name of ['index.html', 'constructor', '__proto__', '..%2f..%2fpackage.json', '.env']) {
      const answer = await call(base.url, 'GET', `/docs/${name}`, { undocumented: true });
      assertFailure(answer, 404, 'not_found');
    }
  });
});
