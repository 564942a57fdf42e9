import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { Shares } from '../../src/domain/admission/shares.ts';
import { LIMITS } from '../../src/http/limits.ts';
import type { Store } from '../../src/store/store.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { rawGet } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const MIB = 1024 * 1024;
/** A text of a mebibyte whose differences from another one are found fast. */
const LINES = Array.from({ length: MIB / 8 }, (_, line) => `${String(line).padStart(7, '0')}\n`).join('');
const LAST = 'Connection: close\r\n';

/** Sends one request on each of these paths, in their order and all at the same moment. Resolves with the answers. */
async function askAtOnce(
  t: TestContext,
  url: string,
  paths: readonly string[],
  { method = 'GET' } = {},
): Promise<string[]> {
  const sockets: Socket[] = [];
  for (const _ of paths) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    sockets.push(socket);
  }
  for (const [index, socket] of sockets.entries())
    socket.write(rawGet(paths[index] ?? '', LAST).replace('GET', method));
  return Promise.all(sockets.map((socket) => text(socket)));
}

/** From now on no source gets a share of bytes for anything large. */
function refuseLargeShares(t: TestContext): void {
  const { take } = Shares.prototype;
  t.mock.method(Shares.prototype, 'take', function (this: Shares, source: string, amount = 1) {
    return amount < LIMITS.large && take.call(this, source, amount);
  });
}

onEveryEngine('Large answers at once', (engine) => {
  it('Large answers at once each have a turn of their own, and others are answered in between', async (t) => {
    const { url, server } = await startService(t, engine);
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token, { content: '\u0001'.repeat(180_000) });
    // No turn ends by its time, so that a busy machine begins as many requests in one turn as an idle one.
    const { turn, turnAfterConnection } = ADMISSION;
    t.after(() => Object.assign(ADMISSION, { turn, turnAfterConnection }));
    Object.assign(ADMISSION, { turn: 60_000, turnAfterConnection: 60_000 });
    const finished: string[] = [];
    server.on('request', ({ url: path = '' }, response) => {
      response.on('finish', () => finished.push(path));
    });
    const large = Array(16).fill(`/api/content/${id}`);
    for (const answer of await askAtOnce(t, url, [...large, '/livez']))
      assert.match(answer, /^HTTP\/1.1 200 /);
    const before = finished.indexOf('/livez');
    assert.ok(before < large.length / 2, `${before} large answers came before`);
  });
});

onEveryEngine('Sizes of hidden texts', (engine) => {
  it('A member whose share of bytes is used up learns of no draft, changed item or item in the trash', async (t) => {
    const { url } = await startService(t, engine);
    const [author, member] = [await newAccount(url), await newAccount(url)];
    const large = { content: 'x'.repeat(2 * LIMITS.large) };
    const { id: draft } = await newItem(url, author.token, { ...large, status: 'draft' });
    const [{ id: changed }, { id: plain }] = [
      await newItem(url, author.token),
      await newItem(url, author.token),
    ];
    const path = `/api/content/${changed}/draft`;
    assert.equal((await call(url, 'PUT', path, { token: author.token, body: large })).status, 200);
    const { id: trashed } = await newItem(url, author.token, large);
    assert.equal((await call(url, 'DELETE', `/api/content/${trashed}`, author)).status, 200);
    refuseLargeShares(t);

    const said = async ({ token }: Account, method: string, path: string) => {
      const body = method === 'PUT' ? { title: 'another' } : undefined;
      const { status, body: answer } = await call(url, method, path, { token, body });
      return [method, status, answer.message];
    };
    const answersOf = (who: Account, id: number) =>
      Promise.all([
        said(who, 'PUT', `/api/content/${id}`),
        said(who, 'GET', `/api/content/${id}/draft`),
        said(who, 'PUT', `/api/content/${id}/draft`),
        said(who, 'POST', `/api/content/${id}/publish`),
      ]);
    const never = 999_999;
    assert.deepEqual(await answersOf(member, draft), await answersOf(member, never));
    assert.deepEqual(await answersOf(member, changed), await answersOf(member, plain));
    const restore = (who: Account, id: number) => said(who, 'POST', `/api/content/trash/${id}/restore`);
    assert.deepEqual(await restore(member, trashed), await restore(member, never));
    const own = [...(await answersOf(author, draft)), await restore(author, trashed)];
    assert.deepEqual(
      own.map(([, status]) => status),
      Array(5).fill(429),
      'what the author would get is large',
    );
  });
});

it('A source with too many bytes of large answers under way gets 429 before its text is read, and is served again afterwards', async (t) => {
  let texts = 0;
  // An answer that is sent at once is under way for too short a time to be beside others.
  const oneIsRefused = Promise.withResolvers<void>();
  const afterRead = (output: unknown) => {
    if (Object(output).row?.content?.length !== MIB) return undefined;
    texts += 1;
    return oneIsRefused.promise;
  };
  const { url, server } = await startService(
    t,
    sqlite,
    {},
    { wrap: (store) => observed(store, { afterRead }) },
  );
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'x'.repeat(MIB) });
  const path = `/api/content/${id}`;
  server.on('request', (_request, response) => {
    response.on('finish', () => {
      if (response.statusCode === 429) oneIsRefused.resolve();
    });
  });
  const answers = await askAtOnce(t, url, Array(40).fill(path));
  const refused = answers.filter((answer) => /^HTTP\/1.1 429 .*^retry-after: 1\r$/ms.test(answer));
  const served = answers.filter((answer) => answer.startsWith('HTTP/1.1 200 '));
  assert.ok(refused.length > 0, 'none was refused');
  assert.ok(served.length > 0, 'all were refused');
  assert.equal(refused.length + served.length, answers.length);
  assert.equal(texts, served.length, 'texts that were read');
  assert.equal((await call(url, 'GET', path)).status, 200);
});

it('The head of an item is that of its answer without the length, and no text is read for it', async (t) => {
  const reads: string[] = [];
  const wrap = (store: Store) => observed(store, { before: (operation) => reads.push(operation) });
  const { url } = await startService(t, sqlite, {}, { wrap });
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'x'.repeat(MIB) });
  for (const query of ['', '?fields=title,content', '?format=html']) {
    const ask = async (method: string) => {
      const [answer = ''] = await askAtOnce(t, url, [`/api/content/${id}${query}`], { method });
      const lines = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n');
      const length = lines.find((line) => line.startsWith('content-length: '));
      const own = lines.filter((line) => line !== length && !/^(date|x-request-id): /i.test(line));
      return { length, own, body: answer.length > MIB };
    };
    const whole = await ask('GET');
    assert.ok(whole.body && whole.length, query);
    reads.length = 0;
    assert.deepEqual(await ask('HEAD'), { ...whole, length: undefined, body: false }, query);
    assert.ok(!reads.includes('content.find'), `${query}: ${reads}`);
  }
});

it('A large page, large HTML and a sitemap count as bytes under way, and the head of a page too', async (t) => {
  const feeds = { PUBLIC_URL: 'https://a.example', CONTENT_URL: 'https://b.example/{id}' };
  const { url } = await startService(t, sqlite, feeds);
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'x'.repeat(2 * LIMITS.large) });
  const paths = ['/api/content?per_page=1', `/api/content/${id}`, `/api/content/${id}?format=html`];
  const statuses = (method: string) =>
    Promise.all(paths.map(async (path) => (await call(url, method, path)).status));
  assert.deepEqual(await statuses('HEAD'), [200, 200, 200]);
  refuseLargeShares(t);
  assert.deepEqual(await statuses('GET'), [429, 429, 429]);
  assert.deepEqual(await statuses('HEAD'), [429, 200, 200], 'the head of an item reads no text');
  assert.equal((await fetch(`${url}/api/feeds/sitemap`)).status, 429, 'a sitemap, which HEAD does not make');
});

it('A change beyond the bytes of large answers that a source has under way changes nothing', async (t) => {
  // The bodies of the requests count as well.
  const expected = ADMISSION.bytes / 2 / MIB - 1;
  const changes = expected + 4;
  let [underWay, refused] = [0, 0];
  const othersAreRefused = Promise.withResolvers<void>();
  const wrap = (store: Store) =>
    observed(store, {
      before: async (operation) => {
        if (operation !== 'content.update') return;
        underWay += 1;
        await othersAreRefused.promise;
      },
    });
  const { url } = await startService(t, sqlite, {}, { wrap });
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { content: LINES });
  const path = `/api/content/${id}`;
  const change = async (_: unknown, index: number) => {
    const answer = await call(url, 'PUT', path, { token, body: { title: `title ${index}` } });
    if (answer.status === 429) refused += 1;
    if (refused === changes - expected) othersAreRefused.resolve();
    return answer.status;
  };
  const statuses = await Promise.all(Array.from({ length: changes }, change));
  const served = statuses.filter((status) => status === 200).length;
  assert.equal(served, expected);
  assert.deepEqual(new Set(statuses), new Set([200, 429]));
  assert.equal(underWay, served);
  assert.equal((await call(url, 'GET', path)).body.data.version, 1 + served);
});

it('The save that begins a draft counts the text of its item, which its answer has', async (t) => {
  const { url } = await startService(
    t,
    sqlite,
    {},
    {
      wrap: (store) =>
        observed(store, { before: (name) => (name === 'drafts.save' ? gate.promise : undefined) }),
    },
  );
  const gate = Promise.withResolvers<void>();
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'x'.repeat(MIB) });
  const save = async (_: unknown, index: number) => {
    const { status } = await call(url, 'PUT', `/api/content/${id}/draft`, {
      token,
      body: { title: `${index}` },
    });
    if (status === 429) gate.resolve();
    return status;
  };
  const saves = Array.from({ length: 40 }, save);
  const statuses = await Promise.all(saves);
  assert.deepEqual(new Set(statuses), new Set([200, 429]));
});
