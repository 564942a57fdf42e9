import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { newAccount } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { firstOf, rawGet, rawPost, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const [ONE, OTHER] = ['127.0.0.2', '127.0.0.3'];
const LAST = rawGet('/livez', 'Connection: close\r\n');

/** Of these bounds the database knows nothing, so one engine is enough. */
const engine = sqlite;

// A body may take as long as a busy machine needs to send all of these.
const limits: { requestTimeout: number } = LIMITS;
mock.property(limits, 'requestTimeout', 240_000);

/** Resolves when the service has begun so many more requests. */
function begun(server: Server, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    server.on('request', () => ++seen === count && resolve());
  });
}

describe('Limits of one source', { concurrency: true }, () => {
  it('A source has half of the requests under way, and gets 429 with Retry-After for more', async (t) => {
    const { url, server } = await startService(t, engine);
    const most = ADMISSION.requests / 2;
    const all = begun(server, most);
    const waiting = Array.from({ length: most }, () => sendRaw(t, url, rawPost('/api/auth/login', 2), ONE));
    await all;
    const refused = await text(sendRaw(t, url, LAST, ONE));
    assert.match(refused, /^HTTP\/1\.1 429 /);
    assert.match(refused, /^retry-after: 1\r$/m);
    assert.match(refused, /"error":"too_many_requests"/);
    assert.match(await text(sendRaw(t, url, LAST, OTHER)), /^HTTP\/1\.1 200 /);

    const statusOfOneMore = async () => (await text(sendRaw(t, url, LAST, ONE))).slice(9, 12);
    const [first, second] = waiting;
    assert.ok(first && second);
    first.write('{}');
    assert.match(await firstOf(first), /^HTTP\/1\.1 400 /);
    assert.equal(await statusOfOneMore(), '200');

    const again = begun(server, 1);
    first.write(rawPost('/api/auth/login', 2));
    await again;
    assert.equal(await statusOfOneMore(), '429');
    second.resetAndDestroy();
    let status = '429';
    for (let tries = 0; tries < 500 && status === '429'; tries++) status = await statusOfOneMore();
    assert.equal(status, '200');
    for (const socket of waiting) socket.destroy();
  });

  it('A source has half of the bytes of bodies, and gets 429 with Retry-After for more', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const body = JSON.stringify({ title: 'T', content: 'x'.repeat(1_000_000) });
    const head = rawPost('/api/content', body.length, token);
    const tooMany = Math.ceil(ADMISSION.bytes / 2 / body.length) + 4;
    const sockets = Array.from({ length: tooMany }, () => sendRaw(t, url, head + body.slice(0, -1), ONE));
    const answers = sockets.map(firstOf);
    for (const answer of answers) answer.catch(() => {});
    const refused = await Promise.race(answers);
    assert.match(refused, /^HTTP\/1\.1 429 /);
    assert.match(refused, /^retry-after: 1\r$/m);
    assert.match(await firstOf(sendRaw(t, url, head + body, OTHER)), /^HTTP\/1\.1 200 /);
    for (const socket of sockets) socket.destroy();
  });

  it(`A body of more than ${LIMITS.bodyPieces} pieces gets 413`, async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const head = rawPost('/api/content', 0, token).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    const send = (pieces: number) => {
      const bytes = `{${' '.repeat(pieces - 2)}}`;
      return firstOf(sendRaw(t, url, `${head}${bytes.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`, ONE));
    };
    assert.match(await send(LIMITS.bodyPieces), /^HTTP\/1\.1 400 /);
    assert.match(await send(LIMITS.bodyPieces + 1), /^HTTP\/1\.1 413 .*"error":"body_too_large"/s);
  });

  it('A source has half of the requests sent ahead, and gets them back when its connections end', async (t) => {
    let isStuck = false;
    const { promise: stuck, resolve: release } = Promise.withResolvers<void>();
    const { url, server } = await startService(
      t,
      engine,
      {},
      {
        wrap: (store) => observed(store, { before: () => (isStuck ? stuck : undefined) }),
      },
    );
    isStuck = true;
    const connections = ADMISSION.requestsAheadInAll / 2 / ADMISSION.requestsAhead;
    const ahead = rawGet('/api/content').repeat(1 + ADMISSION.requestsAhead);
    for (let round = 0; round < 2; round++) {
      const all = begun(server, connections * (1 + ADMISSION.requestsAhead));
      const sockets = Array.from({ length: connections }, () => sendRaw(t, url, ahead, ONE));
      await all;
      assert.match(await text(sendRaw(t, url, LAST, ONE)), /^HTTP\/1\.1 200 /);
      assert.deepEqual(
        sockets.filter(({ readableEnded, closed }) => readableEnded || closed),
        [],
      );
      const oneMore = await text(sendRaw(t, url, ahead, ONE)).catch(() => '');
      assert.equal(oneMore, '');
      for (const socket of sockets) socket.destroy();
      await until(async () => (await openConnections(server)) === 0, 'all connections are closed');
    }
    release();
  });
});

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
