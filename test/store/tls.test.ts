import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { OperatorError } from '../../src/domain/operator-error.ts';
import { connect } from '../../src/store/postgres/connect.ts';

/** What a client of PostgreSQL sends first to ask for TLS (SSLRequest), and to go without it (protocol 3.0). */
const ASKS_FOR_TLS = '0000000804d2162f';
const GOES_WITHOUT = /^.{8}00030000/;

/** Linux leads it to 127.0.0.1, but it is no address of loopback, so that it counts as another machine. */
const ELSEWHERE = '0.0.0.0';

describe('PostgreSQL servers on other machines', { concurrency: true }, () => {
  it('A remote PostgreSQL server without TLS is refused with what to write in its URL', async (t) => {
    const { url, heard } = await server(t, ELSEWHERE);
    await assert.rejects(connect(url), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(
        error.message,
        /would be reached without TLS; add \?sslmode=verify-full .* or \?sslmode=disable/,
      );
      assert.ok(!error.message.includes('secret'), error.message);
      return true;
    });
    for (const same of ['?sslmode=', '?application_name=sslmode%3Ddisable'])
      await assert.rejects(connect(url + same), /would be reached without TLS/);
    await assert.rejects(connect('postgres://stoa:secret@db.invalid/stoa'), /would be reached without TLS/);
    assert.deepEqual(heard, []);
  });

  it('A remote PostgreSQL server is reached with TLS where the URL asks for it', async (t) => {
    const { url, heard } = await server(t, ELSEWHERE);
    for (const mode of ['verify-full', 'no-verify']) await assert.rejects(connect(`${url}?sslmode=${mode}`));
    assert.deepEqual(heard, [ASKS_FOR_TLS, ASKS_FOR_TLS]);
  });

  it('A remote PostgreSQL server is reached without TLS where the URL asks for that', async (t) => {
    const { url, heard } = await server(t, ELSEWHERE);
    await assert.rejects(connect(`${url}?sslmode=disable`));
    assert.match(heard[0] ?? '', GOES_WITHOUT);
  });
});

describe('PostgreSQL servers on this machine', { concurrency: true }, () => {
  for (const host of ['127.0.0.1', '127.0.0.9', 'localhost', '[::1]'])
    it(`A local PostgreSQL server needs no TLS: ${host}`, async (t) => {
      const { url, heard } = await server(t, host);
      await assert.rejects(connect(url));
      assert.match(heard[0] ?? '', GOES_WITHOUT);
    });

  it('A local PostgreSQL server needs no TLS over a Unix socket', async () => {
    await assert.rejects(
      connect('postgres://stoa:secret@%2Fthere%2Fis%2Fnone/stoa'),
      /cannot be used: .*ENOENT/,
    );
  });
});

/** Listens as PostgreSQL would, writes down the first bytes of each connection, and hangs up. */
async function server(t: TestContext, host: string) {
  const heard: string[] = [];
  const listener = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      heard.push(bytes.toString('hex'));
      socket.destroy();
    });
  });
  const isNamed = host === ELSEWHERE || host === 'localhost';
  listener.listen(0, isNamed ? '127.0.0.1' : host.replace(/[[\]]/g, ''));
  await once(listener, 'listening');
  t.after(() => listener.close());
  const { port } = listener.address() as AddressInfo;
  return { port, heard, url: `postgres://stoa:secret@${host}:${port}/stoa` };
}
