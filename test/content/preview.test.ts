import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_BODY } from '../../src/content/body-contract.ts';
import { FairQueue } from '../../src/domain/admission/fair-queue.ts';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { BoundedThread } from '../../src/domain/thread-with-bounds.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { firstOf, rawPost, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { describeInTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

/** What a text looks like is the same on each engine. */
const engine = sqlite;
const PATH = '/api/content/preview';
const MIB = 1024 * 1024;
const TEXT = '# Head\n\n<script>alert(1)</script>A [link](javascript:alert(1)) and **words**.\n';

it('A service that makes no HTML refuses to show a text', async (t) => {
  const { url } = await startService(t, engine, { RENDER: 'off' });
  const { token } = await newAccount(url);
  const { status, body } = await call(url, 'POST', PATH, {
    token,
    body: { content: TEXT },
  });
  assert.deepEqual([status, body.data.error], [400, 'validation_failed']);
});

describe('A text that is not stored', () => {
  describeInTurn(engine, 'on one service', (service) => {
    it('A text that is not stored looks as it does when it is stored', async () => {
      const { url } = service();
      const { token } = await newAccount(url);
      const { id } = await newItem(url, token, { content: TEXT });
      const stored = await call(url, 'GET', `/api/content/${id}?format=html`, { token });
      const shown = await call(url, 'POST', PATH, { token, body: { content: TEXT } });
      assert.equal(shown.status, 200);
      assert.equal(shown.body.data.html, stored.body.data.html);
      assert.match(shown.body.data.html, /<h1>Head<\/h1>/);
      assert.doesNotMatch(shown.body.data.html, /<script|<a[^>]*javascript/);
    });

    it('A text that is shown counts twice among the bytes that its source has under way, while it arrives', async (t) => {
      const { url } = service();
      const { token } = await newAccount(url);
      // Twice this is more than the half of all that one source may have.
      const count = Math.ceil(ADMISSION.bytes / 2 / MIB / 2) + 1;
      const unfinished = `${rawPost(PATH, MIB, token)}{"content":"${'x'.repeat(MIB - 1_000)}`;
      const sockets = Array.from({ length: count }, () => sendRaw(t, url, unfinished));
      const first = await Promise.race(sockets.map(firstOf));
      for (const socket of sockets) socket.destroy();
      assert.match(first, /^HTTP\/1.1 429 /);
    });

    it('A text that waits to become HTML is forgotten at once when its client leaves', async (t) => {
      const { url } = service();
      const { token } = await newAccount(url);
      const made = Promise.withResolvers<{ output: string }>();
      t.mock.method(BoundedThread.prototype, 'call', () => made.promise);
      let [waiting, reasons]: [number, string[]] = [0, []];
      const { run } = FairQueue.prototype;
      t.mock.method(
        FairQueue.prototype,
        'run',
        async function (this: FairQueue, ...args: Parameters<typeof run>) {
          waiting++;
          return run.apply(this, args).catch((error: unknown) => {
            reasons = [...reasons, String(error)];
            throw error;
          });
        },
      );
      const body = JSON.stringify({ content: 'x'.repeat(MIB) });
      const sockets = Array.from({ length: 4 }, () =>
        sendRaw(t, url, rawPost(PATH, body.length, token) + body),
      );
      await until(() => waiting === sockets.length, 'one is made, and the others wait');
      for (const socket of sockets) socket.destroy();
      await until(() => reasons.length === sockets.length - 1, 'each that waited is over');
      made.resolve({ output: '' });
      assert.deepEqual(new Set(reasons), new Set(['Failure: The client left before its answer.']));
    });

    for (const [kind, most] of [
      ['previews', 1],
      ['items', 3],
    ] as const) {
      it(`An account whose ${kind} end the thread of HTML ends ${1 + most} threads a minute, and others get theirs`, async (t) => {
        const { url } = service();
        const [dear, other] = [await newAccount(url), await newAccount(url)];
        const { id } = await newItem(url, other.token, { content: '*x*' });
        const { call: really } = BoundedThread.prototype;
        let ended = 0;
        t.mock.method(
          BoundedThread.prototype,
          'call',
          async function (this: typeof BoundedThread.prototype, text: unknown) {
            if (!String(text).startsWith('dear')) return really.call(this, text);
            ended++;
            return { met: 'cost' };
          },
        );
        const statusOf = async (content: string) => {
          const item = kind === 'items' ? await newItem(url, dear.token, { content }) : undefined;
          const answer = item
            ? call(url, 'GET', `/api/content/${item.id}?format=html`)
            : call(url, 'POST', PATH, { token: dear.token, body: { content } });
          return (await answer).status;
        };
        const texts = Array.from({ length: 6 }, (_, index) => `dear ${index}`);
        assert.deepEqual(new Set(await Promise.all(texts.map(statusOf))), new Set([503]));
        assert.equal(await statusOf('another text'), 503);
        assert.equal(ended, 1 + most, 'one of short texts, and the others of long ones');
        const { status, body } = await call(url, 'GET', `/api/content/${id}?format=html`);
        assert.deepEqual([status, body.data.html], [200, '<p><em>x</em></p>\n']);
      });
    }

    it('Previews that are announced, but never sent, keep nobody from a large item', async (t) => {
      const { url, server } = service();
      const { token } = await newAccount(url);
      const { id } = await newItem(url, token, { content: 'x'.repeat(MIB) });
      const announced = 40;
      let begun = 0;
      server.on('request', ({ url: path }) => {
        if (path === PATH) begun++;
      });
      const sockets = Array.from({ length: announced }, () => sendRaw(t, url, rawPost(PATH, MIB, token)));
      await until(() => begun === announced, 'each announcement is read');
      const { status } = await call(url, 'GET', `/api/content/${id}`, { token });
      for (const socket of sockets) socket.destroy();
      assert.equal(status, 200);
    });

    it('A preview with a larger body than any text needs gets 413, however large it says it is', async (t) => {
      const { url } = service();
      const { token } = await newAccount(url);
      for (const length of [MOST_BODY + 1, 40_000_000]) {
        const socket = sendRaw(t, url, rawPost(PATH, length, token));
        const answer = await firstOf(socket);
        socket.destroy();
        assert.match(answer, /^HTTP\/1.1 413 /);
      }
    });
  });
});
