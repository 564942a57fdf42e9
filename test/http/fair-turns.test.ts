import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { PUBLIC_PAGE } from '../../src/http/declaration.ts';
import { LIMITS } from '../../src/http/limits.ts';
import type { App } from '../../src/http/server.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { processorTime } from '../support/processor-time.ts';
import { firstOf, rawGet, rawPost, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Of the turns of the event loop the database knows nothing, so one engine is enough. */
const engine = sqlite;

const CLIENTS = 40;
const LAST = 'Connection: close\r\n';
/** Each client has an address of its own, and the newcomer too. */
const addressOf = (client: number) => `127.0.2.${client + 1}`;

describe('Turns while many clients ask for work of milliseconds', { concurrency: true }, () => {
  it('A newcomer is served before each of many busy clients had three turns', async (t) => {
    const { url, served } = await startBusy(t);
    const busy = Array.from({ length: CLIENTS }, (_, client) =>
      sendRaw(t, url, rawGet('/busy'), addressOf(client)),
    );
    for (const socket of busy) socket.on('data', () => socket.write(rawGet('/busy')));
    await text(sendRaw(t, url, rawGet('/livez', LAST), addressOf(CLIENTS)));
    for (const socket of busy) socket.destroy();
    assert.ok(served() < 3 * CLIENTS, `${served()} requests came before`);
  });

  it('A client with many connections has no more turns than another', async (t) => {
    const { url, served } = await startBusy(t);
    const greedy = Array.from({ length: CLIENTS }, () => sendRaw(t, url, rawGet('/busy'), addressOf(0)));
    await Promise.all(greedy.map((socket) => once(socket, 'data')));
    const before = served();
    for (const socket of greedy) socket.write(rawGet('/busy'));
    await text(sendRaw(t, url, rawGet('/livez', LAST), addressOf(1)));
    for (const socket of greedy) socket.destroy();
    assert.ok(served() - before < (3 * CLIENTS) / 4, `${served() - before} requests came before`);
  });
});

describe('Turns of large bodies and answers', { concurrency: true }, () => {
  it('Large bodies at once are each read in a turn of their own, and others are answered in between', async (t) => {
    const { url, server } = await startService(t, engine);
    const { token } = await newAccount(url);
    const finished: string[] = [];
    server.on('request', ({ url: path = '' }, response) => {
      response.on('finish', () => finished.push(path));
    });
    // No item, so nothing but reading the body takes long.
    const body = JSON.stringify({ content: '\u0001'.repeat(180_000) });
    const sockets = Array.from({ length: 16 }, () =>
      sendRaw(t, url, rawPost('/api/content', body.length, token) + body.slice(0, -1)),
    );
    await call(url, 'GET', '/readyz');
    const answers = sockets.map((socket) => once(socket, 'data'));
    for (const socket of sockets) socket.write('}');
    await text(sendRaw(t, url, rawGet('/livez', LAST)));
    const before = finished.filter((path) => path === '/api/content').length;
    assert.ok(before < sockets.length / 2, `${before} large bodies were read before`);
    await Promise.all(answers);
  });

  for (const when of ['before their turn', 'before they were read'])
    it(`Fewer than half of the large answers whose clients hung up ${when} are written`, async (t) => {
      let written = 0;
      const beforeRoutes = async (app: App) => {
        app.addHook('preSerialization', async (_request, reply) => {
          if (reply.statusCode === 200) written++;
        });
      };
      const left = Promise.withResolvers<void>();
      const wrap = (store: Store) =>
        observed(store, { before: (operation) => (operation === 'content.find' ? left.promise : undefined) });
      const { url } = await startService(t, engine, {}, { beforeRoutes, wrap });
      const { token } = await newAccount(url);
      const { id } = await newItem(url, token, { content: '\u0001'.repeat(180_000) });
      written = 0;
      if (when === 'before their turn') left.resolve();
      const sockets = Array.from({ length: CLIENTS }, () => sendRaw(t, url, rawGet(`/api/content/${id}`)));
      for (const socket of sockets) socket.once('connect', () => socket.end());
      await Promise.all(sockets.map((socket) => once(socket, 'close')));
      left.resolve();
      assert.equal((await call(url, 'GET', `/api/content/${id}`)).status, 200);
      assert.ok(written < CLIENTS / 2, `${written} answers were written`);
    });
});

// One after another, because the first measures.
describe('Turns of bodies that end together', () => {
  it('A newcomer waits for at most 250 ms of work while 64 bodies with thousands of mistakes end together', async (t) => {
    const { endTogether, token } = await startWithBodies(t);
    const body = JSON.stringify({ operations: Array(4_990).fill({ a: 1 }) });
    await endTogether(4, '/api/content/bulk', body, token);
    let least = Number.POSITIVE_INFINITY;
    // A collection of garbage can make any of them long, but not three in a row.
    for (let tries = 0; least >= 250 && tries < 3; tries++) {
      const { took, answers } = await endTogether(64, '/api/content/bulk', body, token);
      for (const answer of answers) assert.match(answer, /operations must have at most 100 items/);
      least = Math.min(least, took);
    }
    assert.ok(least < 250, `${Math.round(least)} ms of a processor`);
  });

  it('Bodies that end together are read in several turns, and others are answered in between', async (t) => {
    const { endTogether } = await startWithBodies(t);
    const members = Array.from({ length: 390 }, (_, number) => [`${number}`, 1]);
    const body = JSON.stringify(Object.fromEntries(members));
    const { before, answers } = await endTogether(256, '/api/auth/password/reset', body);
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.ok(before < answers.length / 2, `${before} bodies were read before`);
  });
});

/** A service, and a client that sends the last bytes of many bodies together. */
async function startWithBodies(t: TestContext) {
  const { url, server } = await startService(t, engine);
  const { token } = await newAccount(url);
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  let finished = 0;
  server.on('request', (_request, response) => response.once('finish', () => finished++));
  /** What the work before a newcomer's answer took of the processor, and how many bodies were answered before. */
  const endTogether = async (count: number, path: string, body: string, token?: string) => {
    assert.ok(body.length < LIMITS.large, 'no body is large');
    accepted.length = 0;
    const all = rawPost(path, body.length, token) + body.slice(0, -1);
    const sockets = Array.from({ length: count }, () => sendRaw(t, url, all, addressOf(0)));
    const answers = sockets.map(firstOf);
    const read = () => accepted.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    await until(() => read() === count * all.length, 'all but the last bytes are read');
    finished = 0;
    const began = processorTime();
    for (const socket of sockets) socket.write(body.slice(-1));
    await text(sendRaw(t, url, rawGet('/livez', LAST), addressOf(1)));
    // The newcomer's own answer is one of those that are finished.
    const [took, before] = [processorTime() - began, finished - 1];
    return { took, before, answers: await Promise.all(answers) };
  };
  return { endTogether, token };
}

/** A service with a path that keeps the event loop busy for some milliseconds, and how many of its answers went out. */
async function startBusy(t: TestContext) {
  let served = 0;
  const { url } = await startService(
    t,
    engine,
    {},
    {
      beforeRoutes: async (app) => {
        app.get('/busy', { config: PUBLIC_PAGE }, async () => {
          const end = performance.now() + 3;
          while (performance.now() < end);
          served++;
          return {};
        });
      },
    },
  );
  return { url, served: () => served };
}
