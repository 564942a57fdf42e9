import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { ROUTES, WITHOUT_HEAD } from '../support/contract.ts';
import { sqlite } from '../support/engines.ts';
import { sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const UNKNOWN = ['/nothing', '/api', '/api/content/1/2'];
/** Ways to send something with a request; what comes with a refused method does not matter. */
const SENDINGS = [
  '\r\n',
  'Content-Length: 2\r\n\r\n{}',
  'Content-Type: text/plain\r\nContent-Length: 1\r\n\r\n{',
];

/** The methods of each path, written down a second time. */
const known = new Map<string, string[]>();
const templates = new Map<string, string>();
for (const { method, path: template } of ROUTES) {
  const path = template.replace(/\{\w+\}/g, '1');
  templates.set(path, template.replace(/\{(\w+)\}/g, ':$1'));
  known.set(path, [...(known.get(path) ?? []), method]);
}
const PAGES = [
  '/reset-password',
  '/verify-email',
  '/confirm-email',
  '/revert-email',
  '/accept-invitation',
  '/restore-account',
];
for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/openapi.json', ...PAGES])
  known.set(path, ['GET']);
for (const [path, methods] of known)
  if (methods.includes('GET') && !WITHOUT_HEAD.includes(path)) methods.push('HEAD');

/** No request of these comes to the database, so one engine is enough. */
const engine = sqlite;

describe('Every method that Node.js knows', { concurrency: true }, () => {
  it('is 405 with Allow on each path that has others, and 404 on a path that there is not', async (t) => {
    const paths = new Set<string>();
    const { url } = await startService(
      t,
      engine,
      {},
      {
        beforeRoutes: async (bare) => {
          bare.addHook('onRoute', (route) => {
            paths.add(route.url);
          });
        },
      },
    );
    const listed = [...known.keys()].map((path) => templates.get(path) ?? path);
    const routed = [...paths].map((path) => path.replace('/docs/:asset', '/docs/swagger-ui.css'));
    assert.deepEqual(routed.sort(), listed.sort(), 'every route of the service is asked');

    for (const method of METHODS)
      for (const sending of SENDINGS) {
        for (const [path, methods] of known) {
          if (methods.includes(method)) continue;
          const answer = await ask(url, method, path, sending);
          assertEnvelope(answer, method, 405, 'method_not_allowed', path);
          assert.equal(
            /^allow: (.*)$/m.exec(answer)?.[1],
            methods.toSorted().join(', '),
            `${method} ${path}`,
          );
        }
        for (const path of UNKNOWN)
          assertEnvelope(await ask(url, method, path, sending), method, 404, 'not_found', path);
      }
  });

  it('serves on after a CONNECT that came behind other requests, or whose client has gone', async (t) => {
    const { url } = await startService(t, engine);
    const bytes = 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    const unanswered = await text(sendRaw(t, url, `GET /livez HTTP/1.1\r\nHost: x\r\n\r\n${bytes}`)).catch(
      () => '',
    );
    assert.equal(unanswered, '');
    const socket = sendRaw(t, url, bytes);
    socket.once('connect', () => socket.resetAndDestroy());
    assertEnvelope(await ask(url, 'CONNECT', 'example.org:443', '\r\n'), 'CONNECT', 404, 'not_found', '');
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
