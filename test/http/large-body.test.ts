import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { onOneEngine, type TestEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const MIB = 1024 * 1024;
/** Of a body that is too large, so much is still read for the client's sake. */
const BOUND = 8 * MIB;
/** Several times what the buffers of the system between client and service take. */
const SENT = 64 * MIB;
const HEAD = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

const LAST = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

onOneEngine('Bodies that are too large', (engine) => {
  for (const [title, announced, part] of [
    ['which announces more than 8 MiB', `Content-Length: ${SENT}`, 'x'.repeat(MIB)],
    ['which does not say how much comes', 'Transfer-Encoding: chunked', `100000\r\n${'x'.repeat(MIB)}\r\n`],
  ] as const)
    it(`At most 8 MiB are read of a body ${title}, and the connection ends`, async (t) => {
      const { client, bytesRead } = await begin(t, engine);
      client.write(`${HEAD}${announced}\r\n\r\n`);
      const answer = untilClosed(client);
      for (let sent = 0; sent < SENT && !client.destroyed; sent += MIB) await write(client, part);
      client.end(LAST);
      assert.doesNotMatch(await answer, / 200 /);
      // And what came with the head.
      assert.ok(bytesRead() <= BOUND + MIB, `${bytesRead()} bytes were read`);
    });

  for (const [title, head] of [
    ['POST without a token', 'POST /api/content'],
    ['a method that the path does not have', 'PATCH /livez'],
    ['a method that takes no body', 'GET /livez'],
  ])
    it(`At most 8 MiB are read after the answer to ${title}, and the connection ends`, async (t) => {
      const { client, bytesRead } = await begin(t, engine);
      client.write(`${head} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const answer = text(client).catch(() => '');
      for (let sent = 0; sent < SENT && !client.destroyed; sent += MIB)
        await write(client, `100000\r\n${'x'.repeat(MIB)}\r\n`);
      client.end(`0\r\n\r\n${LAST}`);
      await answer;
      assert.ok(bytesRead() <= BOUND + MIB, `${bytesRead()} bytes were read`);
    });

  it('A client that sends 7 MiB of chunks without a token gets its 401, each of twenty times', async (t) => {
    const { client: first, url } = await begin(t, engine);
    first.destroy();
    for (let round = 0; round < 20; round++) {
      const client = connect(Number(new URL(url).port), '127.0.0.1');
      t.after(() => client.destroy());
      client.write('PUT /api/content/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
      client.write(`${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(7 * 1024)}0\r\n\r\n`);
      assert.match(await text(client), /^HTTP\/1\.1 401 .*"error":"token_missing"/s);
    }
  });

  it('A body that announces 8 MiB is read whole, and the connection continues after its 413', async (t) => {
    const { client, bytesRead } = await begin(t, engine);
    client.write(`${HEAD}Content-Length: ${BOUND}\r\n\r\n${'x'.repeat(BOUND)}${LAST}`);
    const statuses = [...(await text(client)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ['413', '200']);
    assert.ok(bytesRead() > BOUND, `${bytesRead()} bytes were read`);
  });
});

/** A connection to a service of its own, and how much the service has read of it. */
async function begin(t: TestContext, engine: TestEngine) {
  const accepted: Socket[] = [];
  const { url } = await startService(
    t,
    engine,
    {},
    {
      beforeRoutes: async ({ server }) => {
        server.on('connection', (socket) => accepted.push(socket));
      },
    },
  );
  // It goes on sending when the service has sent its last, which ends other clients.
  const client = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => {});
  t.after(() => client.destroy());
  await once(client, 'connect');
  return { client, url, bytesRead: () => accepted.reduce((sum, socket) => sum + socket.bytesRead, 0) };
}

/** Resolves with what came, when the connection is over. `text` would end it at the end of what the service sends. */
function untilClosed(client: Socket): Promise<string> {
  let answer = '';
  client.setEncoding('latin1').on('data', (part) => {
    answer += part;
  });
  return new Promise((resolve) => client.once('close', () => resolve(answer)));
}

/** Resolves when the system has taken the bytes, or the connection is over. */
function write(client: Socket, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    client.once('close', () => resolve());
    client.write(bytes, () => resolve());
  });
}
