import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Account, call, newAccount, newItem, newName } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

const FULL = { title: 'Old', content: 'old text', category: 'old', tags: ['x', 'y'] };

interfaceSuite('Changes of content', (base) => {
  let author: Account;
  before(async () => {
    author = await newAccount(base.url);
  });
  const put = (id: number | string, body: unknown, token: string | undefined = author.token) =>
    call(base.url, 'PUT', `/api/content/${id}`, { token, body });
  const read = async (id: number) => (await call(base.url, 'GET', `/api/content/${id}`)).body.data;

  for (const change of [
    { title: 'New' },
    { content: 'new text\r\n' },
    { category: 'new' },
    { tags: [' z ', 'z', 'a'] },
    { title: 'New', tags: [] },
    { content: '', category: '' },
  ])
    it(`A change sets what is given and keeps the rest: ${Object.keys(change)}`, async () => {
      const before = await newItem(base.url, author.token, FULL);
      const { status, body } = await put(before.id, change);
      assert.equal(status, 200);
      const { updated_at } = body.data;
      const tags = 'tags' in change ? [...new Set(change.tags?.map((tag) => tag.trim()))] : before.tags;
      assert.deepEqual(body, { code: 200, data: { ...before, ...change, tags, version: 2, updated_at } });
      assert.ok(updated_at >= before.updated_at);
      assert.deepEqual(await read(before.id), body.data);
    });

  it('A changed item is found by its present tags and by none of its former ones', async () => {
    const [kept, old, added] = [newName('tag'), newName('tag'), newName('tag')];
    const { id } = await newItem(base.url, author.token, { tags: [kept, old] });
    await put(id, { tags: [added, kept] });
    const total = async (tag: string) =>
      (await call(base.url, 'GET', `/api/content?tag=${tag}`)).body.data.total;
    assert.deepEqual(await Promise.all([kept, old, added].map(total)), [1, 0, 1]);
  });

  it('Each change adds one to the version and keeps created_at', async () => {
    const { id, created_at } = await newItem(base.url, author.token);
    for (let version = 2; version <= 5; version++) {
      const { body } = await put(id, { title: `Title ${version}` });
      assert.equal(body.data.version, version);
      assert.equal(body.data.created_at, created_at);
    }
  });

  it('A change needs at least one known member', async () => {
    const item = await newItem(base.url, author.token);
    for (const body of [{}, { author: { id: 1 }, id: 5, version: 7, created_at: 'x' }])
      assertFailure(await put(item.id, body), 400, 'validation_failed', {
        field: 'body',
        rule: 'minProperties',
      });
    assert.deepEqual(await read(item.id), item);
  });

  it('A change ignores unknown members', async () => {
    const item = await newItem(base.url, author.token);
    const extra = { id: 1, version: 40, author: { id: 1 }, author_id: 1, created_at: 0, updated_at: 0 };
    const { body } = await put(item.id, { title: 'Other', ...extra });
    assert.deepEqual(body.data, { ...item, title: 'Other', version: 2, updated_at: body.data.updated_at });
  });

  it('A change needs an access token', async () => {
    const item = await newItem(base.url, author.token);
    const answer = await call(base.url, 'PUT', `/api/content/${item.id}`, { body: { title: 'X' } });
    assertFailure(answer, 401, 'token_missing');
    assert.deepEqual(await read(item.id), item);
  });

  it('A change by another member gets 403 and leaves the item untouched', async () => {
    const item = await newItem(base.url, author.token);
    const { token } = await newAccount(base.url);
    assertFailure(await put(item.id, { title: 'Mine now' }, token), 403, 'forbidden');
    assert.deepEqual(await read(item.id), item);
  });

  it('A change of an item that does not exist gets 404', async () => {
    const { id } = await newItem(base.url, author.token);
    await call(base.url, 'DELETE', `/api/content/${id}`, { token: author.token });
    for (const unknown of [id, '9007199254740991', '9007199254740993', '99999999999999999999'])
      assertFailure(await put(unknown, { title: 'X' }), 404, 'not_found');
  });

  it('Sixteen changes at once are all made and counted', async () => {
    const { id } = await newItem(base.url, author.token);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, each) => put(id, { title: `T${each}` })),
    );
    const versions = answers.map(({ body }) => body.data.version).sort((a, b) => a - b);
    assert.deepEqual(
      versions,
      Array.from({ length: 16 }, (_, each) => each + 2),
    );
  });
});

interfaceSuite('Deletions of content', (base) => {
  let author: Account;
  before(async () => {
    author = await newAccount(base.url);
  });
  const remove = (id: number | string, token: string | undefined = author.token) =>
    call(base.url, 'DELETE', `/api/content/${id}`, { token });

  it('A deletion answers with the id, and then the item is gone everywhere', async () => {
    const tag = newName('tag');
    const { id } = await newItem(base.url, author.token, { tags: [tag, 'gone'] });
    const { status, body } = await remove(id);
    assert.equal(status, 200);
    assert.deepEqual(body, { code: 200, data: { id } });
    assertFailure(await call(base.url, 'GET', `/api/content/${id}`), 404, 'not_found');
    const list = await call(base.url, 'GET', `/api/content?author=${author.id}&per_page=100`);
    assert.ok(list.body.data.items.every((item: { id: number }) => item.id !== id));
    assert.equal((await call(base.url, 'GET', `/api/content?tag=${tag}`)).body.data.total, 0);
  });

  it('A second deletion gets 404', async () => {
    const { id } = await newItem(base.url, author.token);
    await remove(id);
    assertFailure(await remove(id), 404, 'not_found');
  });

  it('A deletion may have a content type without a body', async () => {
    const { id } = await newItem(base.url, author.token);
    const answer = await call(base.url, 'DELETE', `/api/content/${id}`, { token: author.token, body: '' });
    assert.equal(answer.status, 200);
  });

  it('A deletion needs an access token of a caller with the right to delete', async () => {
    const item = await newItem(base.url, author.token);
    const { token } = await newAccount(base.url);
    assertFailure(await call(base.url, 'DELETE', `/api/content/${item.id}`), 401, 'token_missing');
    assertFailure(await remove(item.id, token), 403, 'forbidden');
    assert.deepEqual((await call(base.url, 'GET', `/api/content/${item.id}`)).body.data, item);
  });

  it('Of sixteen deletions at once, one succeeds', async () => {
    const { id } = await newItem(base.url, author.token);
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove(id)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(15).fill(404)]);
  });
});
