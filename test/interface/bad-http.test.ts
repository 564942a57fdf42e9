import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { type Answer, call } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { stopwatch } from '../support/stopwatch.ts';

const TOO_LONG_MS = 240_000;
/** A request after which the service hangs up. */
const LAST = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

interfaceSuite(
  'Bad HTTP',
  (base) => {
    /** Sends the bytes as they are and reads what comes until the service hangs up. */
    async function talk(bytes: string): Promise<string> {
      const { hostname, port } = new URL(base.url);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.setTimeout(TOO_LONG_MS, () => socket.destroy(new Error('The service does not hang up.')));
      socket.write(bytes, 'latin1');
      return text(socket);
    }

    function answerOf(response: string): Answer {
      const [head = '', body = ''] = response.split('\r\n\r\n');
      const [statusLine = '', ...lines] = head.split('\r\n');
      const headers = new Headers(
        lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.replace(/^[^:]*: /, '')]),
      );
      return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
    }

    const refused = async (bytes: string, code: number, error: string) => {
      const answer = answerOf(await talk(bytes));
      assertFailure(answer, code, error);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('connection'), 'close');
      assert.equal((await call(base.url, 'GET', '/livez')).status, 200);
    };
    const post = (headers: string, body = '') =>
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n${headers}\r\n${body}`;

    for (const [title, bytes] of Object.entries({
      'no request line': 'nonsense\r\n\r\n',
      'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'an unknown method': 'BREW /api/users HTTP/1.1\r\nHost: x\r\n\r\n',
      'an unknown version': 'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      'a header without a colon': 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
      'a space in a header name': 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n',
      'NUL in a header': 'GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n',
      'a Content-Length that is no number': post('Content-Length: ten\r\n'),
      'a negative Content-Length': post('Content-Length: -1\r\n'),
      'two Content-Lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
      'a Content-Length beside chunks': post(
        'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n',
        '0\r\n\r\n',
      ),
      'no Host': 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n',
      'two Hosts': 'GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
      'the same Host twice': 'GET /livez HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n',
      'a list of Hosts': 'GET /livez HTTP/1.1\r\nHost: x, y\r\nConnection: close\r\n\r\n',
      'a Host with a path': 'GET /livez HTTP/1.1\r\nHost: x/livez\r\nConnection: close\r\n\r\n',
      'a URL of another host': 'GET http://y/livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'a header that goes on in the next line': 'GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n',
      'a line that a CR alone ends': 'GET /livez HTTP/1.1\r\nHost: x\rA: b\r\n\r\n',
      'a line that an LF alone ends': 'GET /livez HTTP/1.1\nHost: x\n\n',
      'a chunk size that is no number': post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'),
    }))
      it(`A request with bad HTTP gets 400 in the envelope: ${title}`, () =>
        refused(bytes, 400, 'malformed_request'));

    it('An Expect other than 100-continue gets 417 in the envelope, and 100-continue works', async () => {
      for (const expected of ['junk', '200-ok'])
        await refused(post(`Expect: ${expected}\r\nContent-Length: 2\r\n`, '{}'), 417, 'expectation_failed');
      const responses = await talk(post('Expect: 100-Continue\r\nContent-Length: 2\r\n', '{}'));
      assert.deepEqual(statusesOf(responses), ['100', '400']);
    });

    it('A Host with a port and a URL with the same host are accepted', async () => {
      for (const [target, host] of [
        ['/livez', 'stoa.example:8080'],
        ['/livez', '[::1]:8080'],
        ['http://stoa.example/livez', 'STOA.example'],
        ['http://stoa.example:80/livez', 'stoa.example'],
      ])
        assert.equal(
          answerOf(await talk(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status,
          200,
        );
    });

    it('Headers over 16 KiB get 431', async () => {
      const long = (bytes: number) =>
        `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${'x'.repeat(bytes)}\r\n\r\n`;
      await refused(long(16 * 1024), 431, 'headers_too_large');
      await refused(long(64 * 1024), 431, 'headers_too_large');
      await refused(`GET /${'x'.repeat(17 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large');
      assert.equal(answerOf(await talk(long(15 * 1024))).status, 200);
    });

    it('A Content-Length that is too large gets 413 at once', async () => {
      const answer = answerOf(await talk(post('Content-Length: 1000000000\r\n', '{')));
      assertFailure(answer, 413, 'body_too_large');
    });

    it('Chunks that grow too large get 413', async () => {
      const chunk = `4000\r\n${'x'.repeat(16_384)}\r\n`;
      const answer = answerOf(await talk(post('Transfer-Encoding: chunked\r\n', chunk + chunk)));
      assertFailure(answer, 413, 'body_too_large');
    });

    it('A client that sends a whole large body first gets 413, and the connection continues', async () => {
      const size = 6 * 1024 * 1024;
      const large = post(`Content-Length: ${size}\r\n`, 'x'.repeat(size)).replace(
        'Connection: close\r\n',
        '',
      );
      for (let round = 0; round < 5; round++) {
        const responses = await talk(large + LAST);
        assert.deepEqual(statusesOf(responses), ['413', '200']);
      }
    });

    it('The service survives a client that goes in the middle of a request', async () => {
      const { hostname, port } = new URL(base.url);
      for (const part of ['GET /liv', post('Content-Length: 100\r\n', '{"user')]) {
        const socket = connect({ host: hostname, port: Number(port) });
        await new Promise((sent) => socket.write(part, sent));
        socket.resetAndDestroy();
      }
      assert.equal((await call(base.url, 'GET', '/livez')).status, 200);
    });

    it('Headers that do not end get 408 after 10 seconds, and a body that does not end after 15', async () => {
      const [begun, elapsed] = [Date.now(), stopwatch()];
      const slow = async (bytes: string) => {
        await refused(bytes, 408, 'request_timeout');
        return { took: Date.now() - begun, busy: elapsed() };
      };
      const [headers, body] = await Promise.all([
        slow('GET /livez HTTP/1.1\r\nHost: x\r\nX: never ends'),
        slow(post('Content-Length: 10\r\n', '{')),
      ]);
      assert.ok(headers.took >= 10_000 && headers.busy < 15_000, `headers: ${JSON.stringify(headers)}`);
      assert.ok(body.took >= 15_000, `body: ${JSON.stringify(body)}`);
    });

    it('A wrong request that is proper HTTP leaves its connection open', async () => {
      const wrong =
        'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
      assert.deepEqual(statusesOf(await talk(wrong + LAST)), ['400', '200']);
    });
  },
  onOneEngine,
);

function statusesOf(responses: string): (string | undefined)[] {
  return [...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
}
