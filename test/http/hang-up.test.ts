import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { longText } from '../support/long-text.ts';
import { scrape } from '../support/metrics.ts';
import { newMigratedPlace, newSqlitePlace } from '../support/place.ts';
import { firstOf, rawGet, rawPost, sendRaw } from '../support/raw.ts';
import { startHere } from '../support/service.ts';
import { isSlowLine } from '../support/slow-line.ts';
import { describeInTurn, type InTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

const SIZE = 4 * 1024 * 1024;
/** Sends a request and resets its connection at once. */
const LEAVING_CLIENT = `
  const { workerData: { port, bytes, hasLeft } } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1', () =>
    socket.write(bytes, () => {
      socket.resetAndDestroy();
      Atomics.store(hasLeft, 0, 1);
      Atomics.notify(hasLeft, 0);
    }));`;
/** Bytes of a text whose answers count. */
const LARGE = 200 * 1024;

/**
 * What a log tells of clients. At level debug there is a line for a request that was answered; a slow line tells of the
 * machine, and of a test that holds the thread of the service.
 */
function eventsOf(lines: readonly string[]): string[] {
  return lines.filter((line) => {
    const { level, msg } = JSON.parse(line);
    return level > 20 && msg !== 'listening' && !isSlowLine(line);
  });
}

onOneEngine('Clients that hang up', (engine) => {
  const suite = (service: () => InTurn) => {
    it('A client that hangs up in the middle of its body causes no error and fills no log', async () => {
      const { url, log } = service();
      const begun = log.length;
      const head =
        'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
      for (let round = 0; round < 5; round++) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        await once(socket, 'connect');
        await new Promise((sent) => socket.write(head, sent));
        await pause(20);
        socket.resetAndDestroy();
        await once(socket, 'close');
      }
      await pause(50);
      assert.equal((await call(url, 'GET', '/livez')).status, 200);
      assert.deepEqual(eventsOf(log.slice(begun)), []);
    });

    it('A client that hangs up before the service takes its connection causes no error and fills no log', async () => {
      const { url, log } = service();
      const begun = log.length;
      const hasLeft = new Int32Array(new SharedArrayBuffer(4));
      const workerData = { port: new URL(url).port, bytes: rawGet('/livez'), hasLeft };
      const client = new Worker(LEAVING_CLIENT, { eval: true, workerData });
      // The service shares this thread, so it takes no connection before the client has left.
      assert.notEqual(Atomics.wait(hasLeft, 0, 0, 30_000), 'timed-out');
      await once(client, 'exit');
      await call(url, 'GET', '/livez');
      assert.deepEqual(eventsOf(log.slice(begun)), []);
    });

    it('A write whose client hangs up keeps its place and its bytes until the store has made it', async (t) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      t.after(() => release());
      let isWriting = false;
      service().beforeOperations((name) => {
        if (name !== 'content.create') return undefined;
        isWriting = true;
        return released;
      });
      const { url, server } = service();
      const { token } = await newAccount(url);
      const figures = async () => {
        const { value } = await scrape(service());
        return ['stoa_requests_under_way', 'stoa_request_held_bytes'].map((name) => value(name));
      };
      const body = JSON.stringify({ title: 'of who left', content: 'x'.repeat(60_000) });
      const connected = once(server, 'connection');
      const socket = sendRaw(t, url, `${rawPost('/api/content', body.length, token)}${body}`);
      await until(() => isWriting, 'the write begins');
      const [, held = 0] = await figures();
      assert.ok(held > 60_000, `${held} bytes`);
      const [serverSide] = await connected;
      const closed = new Promise((resolve) => serverSide.once('close', resolve));
      socket.resetAndDestroy();
      await closed;
      assert.deepEqual(await figures(), [1, held]);
      release();
      await until(async () => isDeepStrictEqual(await figures(), [0, 0]), 'the write is done');
    });

    for (const [operation, what, pathOf] of [
      ['content.find', 'an item', (id: number) => `/api/content/${id}`],
      ['content.list', 'a list', () => '/api/content?per_page=1&sort=newest'],
      ['versions.find', 'an earlier version', (id: number) => `/api/content/${id}/versions/2`],
      ['versions.find', 'a difference', (id: number) => `/api/content/${id}/versions/2/difference`],
    ] as const)
      it(`A client that hangs up while the service reads ${what} for it leaves nothing held`, async (t) => {
        const left = Promise.withResolvers<void>();
        let isReading = false;
        service().beforeOperations((name) => {
          if (name !== operation) return undefined;
          isReading = true;
          return left.promise;
        });
        const { url } = service();
        const { token } = await newAccount(url);
        // Earlier ones are kept as deltas, which are applied in a turn of their own.
        const texts = ['', 'b', 'c'].map((end) => `${longText('a', LARGE)}${end}`);
        const { id } = await newItem(url, token, { content: texts[0] });
        for (const content of texts.slice(1))
          assert.equal(
            (await call(url, 'PUT', `/api/content/${id}`, { token, body: { content } })).status,
            200,
          );
        const path = pathOf(id);
        const socket = sendRaw(t, url, rawGet(path, `Authorization: Bearer ${token}\r\n`));
        await until(() => isReading, `${operation} begins`);
        socket.resetAndDestroy();
        const figure = async (name: string) => (await scrape(service())).value(name);
        await until(async () => (await figure('stoa_requests_under_way')) === 0, 'the service notices');
        left.resolve();
        assert.equal((await call(url, 'GET', path, { token })).status, 200, path);
        await until(async () => (await figure('stoa_requests_under_way')) === 0, 'the answer is out');
        assert.equal(await figure('stoa_request_held_bytes'), 0, path);
      });
  };
  describeInTurn(engine, 'of one service', suite, { METRICS_PORT: '0' });

  it('A client that hangs up in the middle of a large answer gives back its share', async (t) => {
    const place = await newMigratedPlace(t, newSqlitePlace);
    const { url } = await startHere(t, { DATABASE_URL: place.url });
    const { id } = await newItem(url, (await newAccount(url)).token);
    // More than the buffers between the two take.
    await place.sql(`UPDATE content SET content = replace(hex(zeroblob(${SIZE / 2})), '00', '""')`);
    const path = `/api/content/${id}`;
    for (let held = 0; held <= ADMISSION.bytes / 2; held += SIZE) {
      const socket = sendRaw(t, url, rawGet(path));
      await firstOf(socket);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    assert.equal((await call(url, 'GET', path)).status, 200);
  });
});
