import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newAccount, newItem } from '../support/client.ts';
import { ROUTES } from '../support/contract.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

const [OURS, ALSO_OURS, OTHER] = ['https://app.example.org', 'http://localhost:5173', 'https://evil.example'];
const SETTINGS = { CORS_ORIGINS: `${OURS}, ${ALSO_OURS}` };

/** Nothing of this depends on the database, so one engine is enough. */
const engine = sqlite;

const preflight = (url: string, path: string, origin: string, method = 'GET') =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method },
  });

const crossOriginOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

describeOnService(
  engine,
  'CORS_ORIGINS',
  (service) => {
    it('A page of an allowed origin reads every answer, failures too, and other pages read none', async () => {
      const { url } = service();
      for (const path of ['/livez', '/api/users', '/api/content/0', '/nothing', '/%']) {
        for (const origin of [OURS, ALSO_OURS])
          assert.deepEqual(crossOriginOf(await fetch(url + path, { headers: { origin } })), {
            'access-control-allow-credentials': 'true',
            'access-control-allow-origin': origin,
            'access-control-expose-headers':
              'ETag, Link, Retry-After, Stoa-Index-Lag, WWW-Authenticate, X-Request-Id',
            vary: 'Origin',
          });
        for (const origin of [OTHER, 'null', `${OURS}.evil.example`, OURS.toUpperCase(), '*'])
          assert.deepEqual(crossOriginOf(await fetch(url + path, { headers: { origin } })), {
            vary: 'Origin',
          });
        assert.deepEqual(crossOriginOf(await fetch(url + path)), { vary: 'Origin' });
      }
    });

    it('A page of an allowed origin reads the entity tag of an item, whose answers vary by the token too', async () => {
      const { url } = service();
      const { id } = await newItem(url, (await newAccount(url)).token);
      const { headers } = await fetch(`${url}/api/content/${id}`, { headers: { origin: OURS } });
      assert.equal(headers.get('vary'), 'Origin, Authorization');
      assert.match(headers.get('etag') ?? '', /^"1-/);
      assert.ok(headers.get('access-control-expose-headers')?.startsWith('ETag,'));
    });

    it('A page of an allowed origin learns for each path which methods and headers it may send', async () => {
      const { url } = service();
      for (const { path, method } of ROUTES) {
        const answer = await preflight(url, path.replaceAll(/\{\w+\}/g, '1'), OURS, method);
        assert.deepEqual([answer.status, await answer.text()], [204, ''], path);
        const { headers } = answer;
        assert.equal(
          headers.get('access-control-allow-headers'),
          'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID',
        );
        assert.equal(headers.get('access-control-max-age'), '600');
        assert.equal(headers.get('access-control-allow-credentials'), 'true');
        const methods = headers.get('access-control-allow-methods')?.split(', ') ?? [];
        const known = ROUTES.filter((route) => route.path === path).map((route) => route.method);
        assert.deepEqual(
          methods.filter((each) => each !== 'HEAD'),
          known.toSorted(),
        );
      }
      assert.equal((await preflight(url, '/nothing', OURS)).status, 404);
    });

    it('An OPTIONS request that is no preflight of an allowed origin gets 405 with Allow', async (t) => {
      const { url } = service();
      const { url: without } = await startService(t, engine);
      const answers = await Promise.all([
        preflight(url, '/api/content', OTHER),
        fetch(`${url}/api/content`, { method: 'OPTIONS', headers: { origin: OURS } }),
        fetch(`${url}/api/content`, { method: 'OPTIONS' }),
        preflight(without, '/api/content', OURS),
      ]);
      for (const { status, headers } of answers)
        assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, POST']);
      assert.deepEqual(crossOriginOf(await fetch(without, { headers: { origin: OURS } })), {});
    });
  },
  SETTINGS,
);
