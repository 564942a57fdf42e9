import assert from 'node:assert/strict';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

/** Sends a request whose answer is not decoded. */
async function get(url: string, encoding?: string) {
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding };
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  request(url, { headers }, resolve).on('error', reject).end();
  const answer = await promise;
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

/** Where an address of the page leads that begins at `path`, by the base of the page. */
function resolved(html: string, path: string, address: string): string {
  const [, base = ''] = /<base href="([^"]*)">/.exec(html) ?? [];
  return new URL(address, new URL(base, `http://host${path}`)).pathname;
}

describeOnService(sqlite, 'The console', (service) => {
  it('Each path below /console is the page, whose addresses lead back to the folder of the console', async () => {
    for (const [path, below] of [
      ['/console', ''],
      ['/console/', ''],
      ['/console/people', ''],
      ['/console/people/7', ''],
      ['/console/a/b/c?page=2', ''],
      ['/console/content/7', '/stoa'],
    ] as const) {
      const { status, headers, body } = await get(service().url + path);
      assert.deepEqual([status, headers['cache-control']], [200, 'no-cache']);
      const [pure = ''] = path.split('?');
      assert.equal(resolved(body.toString(), below + pure, 'assets/x.js'), `${below}/console/assets/x.js`);
    }
  });

  it('The policy of the page lets in nothing from outside, nothing inline and no HTML made by scripts', async () => {
    const policy = String((await get(`${service().url}/console/`)).headers['content-security-policy']);
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe|https?:|data:|blob:|\*/);
  });

  it('A file that does not exist is 404 for each of many who ask for it at once', async () => {
    const asked = Array.from({ length: 8 }, () => get(`${service().url}/console/assets/x-ABCDEFGH.js`, 'br'));
    const answers = await Promise.all(asked);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]));
  });

  it('An asset is kept for good, is the same in each encoding, and one that does not exist is 404', async () => {
    const { url } = service();
    const page = (await get(`${url}/console/`)).body.toString();
    const assets = [...page.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, name]) => name);
    assert.ok(assets.length >= 4, page);
    for (const name of assets) {
      const plain = await get(`${url}/console/${name}`);
      const [br, gzip] = [
        await get(`${url}/console/${name}`, 'gzip, br'),
        await get(`${url}/console/${name}`, 'gzip, br;q=0'),
      ];
      assert.match(String(plain.headers['cache-control']), /immutable/);
      assert.equal(plain.headers['content-encoding'], undefined);
      if (br.headers['content-encoding'] === 'br') {
        assert.ok(brotliDecompressSync(br.body).equals(plain.body));
        assert.equal(gzip.headers['content-encoding'], 'gzip');
        assert.ok(gunzipSync(gzip.body).equals(plain.body));
      }
    }
    for (const name of ['assets/none-ABCDEFGH.js', 'assets/', 'assets/..%2findex.html', 'assets/index.html'])
      assert.equal((await get(`${url}/console/${name}`)).status, 404, name);
  });
});

it('With CONSOLE=off there is neither the console nor what makes its first admin', async (t) => {
  const { url } = await startService(t, sqlite, { CONSOLE: 'off' });
  assert.equal((await get(`${url}/console/`)).status, 404);
  assert.equal((await fetch(`${url}/api/setup`, { method: 'POST' })).status, 404);
});

it('An asset varies by the origin too, where CORS_ORIGINS is set', async (t) => {
  const { url } = await startService(t, sqlite, { CORS_ORIGINS: 'https://app.example.org' });
  const [, name] = /src="(assets\/[^"]+)"/.exec((await get(`${url}/console/`)).body.toString()) ?? [];
  const { status, headers } = await get(`${url}/console/${name}`);
  assert.deepEqual([status, headers.vary], [200, 'Origin, Accept-Encoding']);
});
