import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { type Account, type Answer, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { longText } from '../support/long-text.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

const MIB = 1024 * 1024;
const ITEM = { title: 'Many', content: 'text' };
const create = (item: object = ITEM) => ({ action: 'create', item });
const update = (id: number, change: object, version?: number) => ({
  action: 'update',
  id,
  ...(version !== undefined && { version }),
  change,
});
const remove = (id: number, version?: number) => ({
  action: 'delete',
  id,
  ...(version !== undefined && { version }),
});

function bulk(url: string, { token }: Pick<Account, 'token'>, ...operations: unknown[]): Promise<Answer> {
  return call(url, 'POST', '/api/content/bulk', { token, body: { operations } });
}

async function totalOf(url: string, { id, token }: Account): Promise<number> {
  return (await call(url, 'GET', `/api/content?author=${id}`, { token })).body.data.total;
}

/** What a failure says, but for the name of the request. */
function saidBy({ status, body }: Answer) {
  const { request_id: _, ...data } = body.data;
  return { status, message: body.message, data };
}

onEveryEngine('Many changes in one request', (engine) => {
  it('Two instances that change the same items in opposite order make all changes, each once', async (t) => {
    const shared = await sameDatabase(t, engine);
    const [one, other] = [await startService(t, shared), await startService(t, shared)];
    const author = await newAccount(one.url);
    const made = await bulk(one.url, author, ...Array.from({ length: 10 }, () => create()));
    const ids: number[] = made.body.data.results.map(({ id }: { id: number }) => id);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const steps = ids.map((id) => update(id, { title: `${index}` }));
        return bulk(index % 2 ? one.url : other.url, author, ...(index % 2 ? steps : steps.reverse()));
      }),
    );
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
    const records = await Promise.all(ids.map((id) => call(one.url, 'GET', `/api/content/${id}`)));
    assert.deepEqual([...new Set(records.map(({ body }) => body.data.version))], [13]);
    assert.equal(new Set(records.map(({ body }) => body.data.title)).size, 1, 'one write was the last');
  });

  it('Each operation is one write of the hour, and takes its room from what an account may store', async (t) => {
    const { url } = await startService(t, engine, { WRITES_PER_HOUR: '8', STORED_MB: '1' });
    const author = await newAccount(url);
    const long = { ...ITEM, content: 'x'.repeat(600 * 1024) };
    const full = await bulk(url, author, create(long), create(long), create());
    assertFailure(full, 400, 'storage_full');
    assert.equal(full.body.data.index, 2);
    const fits = await bulk(url, author, create(long), create(long));
    assert.equal(fits.status, 200, 'what was refused takes no room');
    assertFailure(await bulk(url, author, create()), 400, 'storage_full');
    const editor = await newAccount(url);
    const texts = [0, 1].map(() => randomBytes(450 * 1024).toString('base64'));
    const { id: edited } = await newItem(url, editor.token, { content: texts[0] });
    assert.equal((await bulk(url, editor, update(edited, { content: texts[1] }))).status, 200);
    assertFailure(await bulk(url, editor, create()), 400, 'storage_full');
    const third = await newAccount(url);
    const missing = { action: 'delete', id: 1_000_000 };
    assertFailure(await bulk(url, third, create(long), create(long), missing), 404, 'not_found');
    const again = await bulk(url, third, create(long), create(long));
    assert.equal(again.status, 200, 'what failed in its write takes no room');
    const [{ id }] = fits.body.data.results;
    const deletions = Array.from({ length: 8 }, () => ({ action: 'delete', id }));
    assertFailure(await bulk(url, author, ...deletions), 429, 'too_many_requests');
  });

  describeOnService(engine, 'on one service', (service) => {
    it('Operations are made in their order, and each has its result', async () => {
      const { url } = service();
      const [author, editor] = [await newAccount(url), await newWithRole(service(), 'editor')];
      const [{ id: first }, { id: second }] = [
        await newItem(url, author.token),
        await newItem(url, author.token),
      ];
      const { status, body } = await bulk(
        url,
        editor,
        create({ ...ITEM, tags: [' a ', 'a'] }),
        update(first, { title: 'two', tags: [' b '] }, 1),
        update(first, { category: 'c' }, 2),
        update(first, { category: 'c' }),
        remove(second, 1),
      );
      assert.equal(status, 200, JSON.stringify(body));
      const [{ id: made }] = body.data.results;
      assert.deepEqual(body.data.results, [
        { action: 'create', id: made, version: 1 },
        { action: 'update', id: first, version: 2 },
        { action: 'update', id: first, version: 3 },
        { action: 'update', id: first, version: 3 },
        { action: 'delete', id: second },
      ]);
      const { data } = (await call(url, 'GET', `/api/content/${made}`)).body;
      assert.deepEqual([data.author.id, data.tags, data.category], [editor.id, ['a'], '']);
      const changed = (await call(url, 'GET', `/api/content/${first}`)).body.data;
      assert.deepEqual([changed.title, changed.tags, changed.category], ['two', ['b'], 'c']);
      const versions = await call(url, 'GET', `/api/content/${first}/versions`, { token: author.token });
      assert.deepEqual(
        versions.body.data.items.map(({ by }: { by: { id: number } }) => by.id),
        [editor.id, editor.id, author.id],
      );
      assert.equal((await call(url, 'GET', `/api/content/${second}`)).status, 404);
    });

    it('A bad operation fails as its own route does, with its index, and nothing is changed', async () => {
      const { url } = service();
      const [author, stranger] = [await newAccount(url), await newAccount(url)];
      const { id } = await newItem(url, author.token);
      const { id: mine } = await newItem(url, stranger.token);
      const { id: spare } = await newItem(url, stranger.token);
      const path = `/api/content/${mine}`;
      const { token } = stranger;
      const stale = { 'if-match': (await call(url, 'GET', path)).headers.get('etag') ?? '' };
      assert.equal((await call(url, 'PUT', path, { token, body: { title: 'two' } })).status, 200);
      const before = (await call(url, 'GET', path)).body;
      const bad: readonly [operation: object, method: string, path: string, options?: object][] = [
        [create({ content: 'c' }), 'POST', ''],
        [create({ ...ITEM, title: 'x'.repeat(201), tags: [1, 'b', ''] }), 'POST', ''],
        [create({ ...ITEM, content: 'x'.repeat(MIB + 1) }), 'POST', ''],
        [update(mine, {}), 'PUT', `/${mine}`],
        [update(mine, { title: 7 }), 'PUT', `/${mine}`],
        [update(mine, { meta: { a: 'x'.repeat(17 * 1024) } }), 'PUT', `/${mine}`],
        [update(999_999, { title: 't' }), 'PUT', '/999999'],
        [update(id, { title: 't' }), 'PUT', `/${id}`],
        [update(mine, { title: 't' }, 1), 'PUT', `/${mine}`, { headers: stale }],
        [remove(999_999), 'DELETE', '/999999'],
        [remove(id), 'DELETE', `/${id}`],
        [remove(mine, 1), 'DELETE', `/${mine}`, { headers: stale }],
      ];
      for (const [operation, method, to, options = {}] of bad) {
        const { item, change } = operation as { item?: object; change?: object };
        const body = item ?? change;
        const single = await call(url, method, `/api/content${to}`, {
          token,
          ...options,
          ...(body && { body }),
        });
        assert.ok(single.status >= 400, JSON.stringify(single.body));
        const { data, ...said } = saidBy(single);
        const many = await bulk(url, stranger, create(), update(spare, { title: 'u' }), operation, create());
        assert.deepEqual(saidBy(many), { ...said, data: { ...data, index: 2 } });
      }
      assert.deepEqual((await call(url, 'GET', path)).body, before);
      assert.equal((await call(url, 'GET', `/api/content/${spare}`)).body.data.version, 1);
      assert.equal(await totalOf(url, stranger), 2);
    });

    it('What is no list of 1 to 100 known operations is refused', async () => {
      const { url } = service();
      const author = await newAccount(url);
      const { token } = author;
      const send = (body: unknown) => call(url, 'POST', '/api/content/bulk', { token, body });
      for (const [body, field] of [
        [{}, 'operations'],
        [{ operations: {} }, 'operations'],
        [{ operations: [] }, 'operations'],
        [{ operations: Array.from({ length: 101 }, () => create()) }, 'operations'],
        [{ operations: [create()], more: 1 }, 'more'],
        ['[]', 'body'],
      ] as const)
        assertFailure(await send(body), 400, 'validation_failed', { field });
      for (const [operation, field] of [
        [null, 'action'],
        [7, 'action'],
        [{}, 'action'],
        [{ action: 'publish', id: 1 }, 'action'],
        [{ action: 'create' }, 'item'],
        [{ action: 'create', item: ITEM, id: 1 }, 'id'],
        [{ action: 'create', item: { ...ITEM, titel: 't' } }, 'titel'],
        [{ action: 'update', id: 1 }, 'change'],
        [{ action: 'update', id: 0, change: { title: 't' } }, 'id'],
        [{ action: 'update', id: 1, version: '1', change: { title: 't' } }, 'version'],
        [{ action: 'update', id: 1, change: { author: 1 } }, 'author'],
        [{ action: 'delete' }, 'id'],
        [{ action: 'delete', id: 1, change: {} }, 'change'],
      ] as const) {
        const answer = await send({ operations: [create(), operation] });
        assertFailure(answer, 400, 'validation_failed', { field });
        assert.equal(answer.body.data.index, 1, JSON.stringify(answer.body));
      }
      assert.equal(await totalOf(url, author), 0);
    });

    it('A request has 4 MiB of text at most, and concerns items of 4 MiB at most', async () => {
      const { url } = service();
      const author = await newAccount(url);
      const whole = create({ ...ITEM, content: 'x'.repeat(MIB - 1024) });
      const made = await bulk(url, author, whole, whole, whole, whole);
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const labels = Array.from({ length: 32 }, (_, index) => `tag ${index}`);
      const hundred = await bulk(
        url,
        author,
        ...Array.from({ length: 100 }, () => create({ ...ITEM, category: 'c', tags: labels })),
      );
      assert.equal(hundred.status, 200, JSON.stringify(hundred.body));
      assert.equal(await totalOf(url, author), 104);
      const parts = Array.from({ length: 101 }, () => create({ ...ITEM, tags: Array(100).fill('t') }));
      assertFailure(await bulk(url, author, ...parts), 400, 'malformed_request');
      assertFailure(await bulk(url, author, whole, whole, whole, whole, whole), 413, 'body_too_large');

      const [id, ...others]: number[] = made.body.data.results.map((each: { id: number }) => each.id);
      assert.ok(id);
      const four = [id, ...others].map((each) => update(each, { category: 'c' }));
      assert.equal((await bulk(url, author, ...four)).status, 200);
      for (const fifth of [update(id, { category: 'd' }), remove(id)]) {
        const answer = await bulk(url, author, ...four, fifth);
        assertFailure(answer, 400, 'limit_reached');
        assert.equal(answer.body.data.index, 4);
      }
      assert.equal((await call(url, 'GET', `/api/content/${id}`)).body.data.version, 2);

      const { id: small } = await newItem(url, author.token);
      const titles = [1, 2, 3, 4, 5].map((title) => update(small, { title: `${title}` }));
      const grown = await bulk(url, author, update(small, { content: 'x'.repeat(MIB - 1024) }), ...titles);
      assertFailure(grown, 400, 'limit_reached');
      assert.equal(grown.body.data.index, 5, 'an item counts with what the operations before it made of it');
    });

    it('Replaced long texts are kept as their own route keeps them', async () => {
      const { url } = service();
      const author = await newAccount(url);
      const texts = ['a', 'b', 'c'].map((end) => longText('same', 64 * 1024) + end);
      const { id } = await newItem(url, author.token, { content: texts[0] });
      for (const content of texts.slice(1))
        assert.equal((await bulk(url, author, update(id, { content }), create())).status, 200);
      for (const [index, content] of texts.entries()) {
        const path = `/api/content/${id}/versions/${index + 1}`;
        assert.equal((await call(url, 'GET', path, { token: author.token })).body.data.content, content);
      }
    });

    it('A long text that two operations of one request replace is kept as each of them found it', async () => {
      const { url } = service();
      const author = await newAccount(url);
      const texts = ['a', 'b', 'c', 'd'].map((end) => longText('same', 64 * 1024) + end);
      const [first, second, ...both] = texts;
      const { id } = await newItem(url, author.token, { content: first });
      assert.equal((await bulk(url, author, update(id, { content: second }))).status, 200);
      const twice = both.map((content) => update(id, { content }));
      assert.equal((await bulk(url, author, ...twice)).status, 200);
      const { body } = await call(url, 'GET', `/api/content/${id}/versions/3`, { token: author.token });
      assert.equal(body.data.content, both[0]);
    });
  });
});
