import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { WITHOUT_HEAD } from '../support/contract.ts';
import { registeredRoutes } from '../support/declared.ts';
import { sqlite } from '../support/engines.ts';
import { sendRaw } from '../support/raw.ts';
import { describeOnService } from '../support/suite.ts';

/** Those that some route has, or that HTTP itself defines. Node.js knows many more, which nothing here tells apart. */
const USUAL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
const UNKNOWN = ['/nothing', '/api', '/api/content/1/2', '/.well-known/jwks-json', '/livez/'];
/** Ways to send something with a request; what comes with a refused method does not matter. */
const SENDINGS = [
  '\r\n',
  'Content-Length: 2\r\n\r\n{}',
  'Content-Type: text/plain\r\nContent-Length: 1\r\n\r\n{',
];

/** The methods of each path; there is nothing at the last ones. */
const known = new Map<string, string[]>();
for (const { method, url } of await registeredRoutes()) {
  const path = url === '/docs/:asset' ? '/docs/swagger-ui.css' : url.replace(/:\w+/g, '1');
  known.set(path, [...(known.get(path) ?? []), method]);
}
for (const [path, methods] of known)
  if (methods.includes('GET') && !WITHOUT_HEAD.includes(path)) methods.push('HEAD');
for (const path of UNKNOWN) known.set(path, []);

/** No request of these comes to the database, so one engine is enough. */
const engine = sqlite;

describeOnService(engine, 'Methods of HTTP', (service) => {
  it('Every method gets 405 with Allow on a path that lacks it, and 404 on an unknown path', async () => {
    const { url } = service();
    assert.ok(known.has('/restore-account') && known.has('/api/content/1'));
    // Each usual method on each path, each other one on an eighth of the paths, and each path with some of those. Each
    // method is sent in each way, and each path asked in each way.
    for (const [number, method] of METHODS.entries())
      for (const [index, [path, methods]] of [...known].entries()) {
        if (methods.includes(method)) continue;
        if (!USUAL.includes(method) && (number + index) % 8 !== 0) continue;
        const answer = await ask(url, method, path, SENDINGS[(number + index) % SENDINGS.length] ?? '');
        if (methods.length === 0) {
          assertEnvelope(answer, method, 404, 'not_found', path);
          continue;
        }
        assertEnvelope(answer, method, 405, 'method_not_allowed', path);
        assert.equal(/^allow: (.*)$/m.exec(answer)?.[1], methods.toSorted().join(', '), `${method} ${path}`);
      }
  });

  it('A target with a host gets the answer of its path, and one that cannot be decoded is not found', async () => {
    const { url, log } = service();
    const ended = '\r\n';
    const answer = await ask(url, 'PROPFIND', 'http://x/livez', ended);
    assertEnvelope(answer, 'PROPFIND', 405, 'method_not_allowed', '/livez');
    assert.match(answer, /^allow: GET, HEAD$/m);
    for (const [method, target] of [
      ['PROPFIND', 'http://%ff@x/nothing'],
      ['CONNECT', '%ff:1'],
    ] as const)
      assertEnvelope(await ask(url, method, target, ended), method, 404, 'not_found', target);
    assert.deepEqual(
      log.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  it('A CONNECT behind other requests, or of a client that has gone, leaves the service running', async (t) => {
    const { url } = service();
    const bytes = 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    const unanswered = await text(sendRaw(t, url, `GET /livez HTTP/1.1\r\nHost: x\r\n\r\n${bytes}`)).catch(
      () => '',
    );
    assert.equal(unanswered, '');
    const socket = sendRaw(t, url, bytes);
    socket.once('connect', () => socket.resetAndDestroy());
    assertEnvelope(await ask(url, 'CONNECT', 'example.org:443', '\r\n'), 'CONNECT', 404, 'not_found', '');
  });

  it('The target "*" is no path, and every method but OPTIONS is refused', async (t) => {
    const { url } = service();
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
      const [head = ''] = (
        await text(sendRaw(t, url, `${method} * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
      ).split('\r\n');
      assert.equal(head, 'HTTP/1.1 400 Bad Request', method);
    }
  });
});

async function ask(url: string, method: string, path: string, sending: string): Promise<string> {
  const bytes = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${sending}`;
  return (await text(sendRaw({ after: () => {} }, url, bytes))).replaceAll('\r', '');
}

function assertEnvelope(answer: string, method: string, code: number, error: string, path: string): void {
  const shown = `${method} ${path}: ${answer}`;
  assert.ok(answer.startsWith(`HTTP/1.1 ${code} `), shown);
  assert.match(answer, /^connection: close$/im, shown);
  const body = answer.slice(answer.indexOf('\n\n') + 2);
  if (method === 'HEAD') assert.equal(body, '', shown);
  else assert.equal(JSON.parse(body).data.error, error, shown);
}
