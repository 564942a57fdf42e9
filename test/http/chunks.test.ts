import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { PUBLIC_PAGE } from '../../src/http/declaration.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { sqlite } from '../support/engines.ts';
import { firstOf, rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

/** Of these bounds the database knows nothing, so one engine is enough. */
const engine = sqlite;

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const END = '0\r\n\r\n';
const chunks = (count: number) => '1\r\n \r\n'.repeat(count);

describe('Chunked bodies that nobody reads', { concurrency: true }, () => {
  it(`An unread body of over ${LIMITS.unreadChunks} small chunks ends its connection without an answer`, async (t) => {
    const { url, hasAsked, release } = await startSlow(t);
    const honest = sendRaw(t, url, rawGet('/slow', CHUNKED) + chunks(LIMITS.unreadChunks) + END);
    await hasAsked();
    const dear = sendRaw(t, url, rawGet('/slow', CHUNKED) + chunks(LIMITS.unreadChunks + 1));
    assert.equal(await text(dear).catch(() => ''), '');
    release();
    assert.match(await firstOf(honest), /^HTTP\/1\.1 200 /);
  });

  it('An unread body counts while its request waits for the answer to the one before', async (t) => {
    const { url } = await startSlow(t);
    const ahead = rawGet('/slow') + rawGet('/slow', CHUNKED) + chunks(LIMITS.unreadChunks + 1);
    assert.equal(await text(sendRaw(t, url, ahead)).catch(() => ''), '');
  });

  it('An unread body of chunks that are not small is taken to its end', async (t) => {
    const { url } = await startSlow(t);
    const chunk = `${LIMITS.smallChunk.toString(16)}\r\n${'x'.repeat(LIMITS.smallChunk)}\r\n`;
    const long = sendRaw(t, url, rawGet('/end', CHUNKED) + chunk.repeat(2 * LIMITS.unreadChunks) + END);
    assert.match(await firstOf(long), /^HTTP\/1\.1 200 /);
  });
});

/** A service with a path that answers when it is told to, and one that answers at the end of the body. */
async function startSlow(t: TestContext) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { url } = await startService(
    t,
    engine,
    {},
    {
      beforeRoutes: async (app) => {
        app.get('/slow', { config: PUBLIC_PAGE }, async (request) => {
          request.raw.resume();
          asked.resolve();
          await released.promise;
          return {};
        });
        app.get('/end', { config: PUBLIC_PAGE }, async (request) => {
          await once(request.raw.resume(), 'end');
          return {};
        });
      },
    },
  );
  return { url, hasAsked: () => asked.promise, release: released.resolve };
}
