import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Account, call, newAccount, newItem, newName } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { linksOf } from '../support/list.ts';
import { ideographs } from '../support/random.ts';

interfaceSuite('Reading of content', (base) => {
  it('An item is read by everybody, signed in or not', async () => {
    const { token } = await newAccount(base.url);
    const item = await newItem(base.url, token);
    for (const options of [{}, { token }]) {
      const { status, body } = await call(base.url, 'GET', `/api/content/${item.id}`, options);
      assert.equal(status, 200);
      assert.deepEqual(body, { code: 200, data: item });
    }
  });

  it('An item that does not exist gets 404', async () => {
    for (const id of ['9007199254740991', '9007199254740993', '99999999999999999999'])
      assertFailure(await call(base.url, 'GET', `/api/content/${id}`), 404, 'not_found');
  });
});

interfaceSuite('Lists of content', (base) => {
  const mark = ideographs(6);
  const tag = newName('tag');
  const category = newName('cat');
  let [ada, bob]: Account[] = [];
  const items: { id: number; title: string }[] = [];
  before(async () => {
    [ada, bob] = [await newAccount(base.url), await newAccount(base.url)];
    for (const [token, members] of [
      [ada.token, { title: `${mark} one`, tags: [tag, 'x'], category }],
      [ada.token, { title: 'Two', content: `in the text: ${mark}%_*"'\\`, tags: [tag] }],
      [bob.token, { title: 'Three', content: `A\u0308SS ${mark.toUpperCase()}`, category }],
      [bob.token, { title: 'Four', tags: [tag.toUpperCase()], category: `${category}x` }],
      [bob.token, { title: 'Five', tags: [tag, mark] }],
    ] as const)
      items.push(await newItem(base.url, token, members));
  });
  const list = (query: Record<string, string | number>) =>
    call(
      base.url,
      'GET',
      `/api/content?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}`,
    );
  const found = async (query: Record<string, string | number>) => {
    const { status, body } = await list({ per_page: 100, ...query });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.total, body.data.items.length);
    return body.data.items.map((item: { id: number }) => items.findIndex(({ id }) => id === item.id) + 1);
  };

  it('A list has whole records in the order of their ids', async () => {
    const { body } = await list({ author: bob?.id ?? 0 });
    assert.deepEqual(body, { code: 200, data: { items: items.slice(2), total: 3, page: 1, per_page: 20 } });
  });

  it('A keyword finds words in title and content, and not in tags', async () => {
    assert.deepEqual(await found({ keyword: mark }), [1, 2, 3]);
    assert.deepEqual(await found({ keyword: `${mark} one` }), [1]);
    assert.deepEqual(await found({ keyword: 'text the', author: ada?.id ?? 0 }), [2]);
  });

  it('A keyword finds words in any case and compatible spelling, and its last word by the beginning', async () => {
    assert.deepEqual(await found({ keyword: `${mark} ONE` }), [1]);
    assert.deepEqual(await found({ keyword: `\u00e4\u00df ${mark}` }), [3]);
    const [first = '', second = ''] = mark;
    assert.deepEqual(await found({ keyword: first, author: ada?.id ?? 0 }), [1, 2]);
    assert.deepEqual(await found({ keyword: first + second, author: bob?.id ?? 0 }), [3]);
    assert.deepEqual(await found({ keyword: '\u00c4s', author: bob?.id ?? 0 }), [3]);
    assert.deepEqual(await found({ keyword: 'Thr', author: bob?.id ?? 0 }), [3]);
    assert.deepEqual(await found({ keyword: `Thr ${mark}` }), []);
  });

  it('A keyword in quotation marks finds words in a row, and other punctuation means nothing', async () => {
    assert.deepEqual(await found({ keyword: `"in the text" ${mark}` }), [2]);
    assert.deepEqual(await found({ keyword: '"in text"', author: ada?.id ?? 0 }), []);
    assert.deepEqual(await found({ keyword: '"in the tex"', author: ada?.id ?? 0 }), []);
    for (const end of ['"', '*', '\\', "'", '%"', '(', ') -', ' AND', ' NOT', ':^+{}$'])
      assert.deepEqual(await found({ keyword: mark + end }), /AND|NOT/.test(end) ? [] : [1, 2, 3], end);
    for (const keyword of ['%_*"', `"'\\`, '*"\'\\'])
      assert.deepEqual(await found({ keyword, author: ada?.id ?? 0 }), [], keyword);
  });

  it('A list is filtered by category, tag and author, each exactly', async () => {
    assert.deepEqual(await found({ category }), [1, 3]);
    assert.deepEqual(await found({ tag }), [1, 2, 5]);
    assert.deepEqual(await found({ author: ada?.id ?? 0 }), [1, 2]);
    assert.deepEqual(await found({ tag: tag.toUpperCase() }), [4]);
    assert.deepEqual(await found({ author: '9007199254740991' }), []);
  });

  it('Several filters are joined by "and"', async () => {
    assert.deepEqual(await found({ category, tag }), [1]);
    assert.deepEqual(await found({ keyword: mark, tag }), [1, 2]);
    assert.deepEqual(await found({ keyword: mark, tag, author: ada?.id ?? 0, category }), [1]);
    assert.deepEqual(await found({ category, author: bob?.id ?? 0 }), [3]);
    assert.deepEqual(await found({ category: `${category}x`, keyword: mark }), []);
  });

  it('An empty filter is no filter', async () => {
    assert.deepEqual(await found({ keyword: '', category: '', tag: '', author: ada?.id ?? 0 }), [1, 2]);
  });

  it('A filtered list has pages with links', async () => {
    const page = (number: number) => ({ tag, per_page: 2, page: number });
    const first = await list(page(1));
    assert.deepEqual(first.body.data, { items: items.slice(0, 2), total: 3, page: 1, per_page: 2 });
    assert.deepEqual(linksOf(first.headers), {
      first: `/api/content?tag=${tag}&per_page=2&page=1`,
      next: `/api/content?tag=${tag}&per_page=2&page=2`,
      last: `/api/content?tag=${tag}&per_page=2&page=2`,
    });
    const last = await list(page(2));
    assert.deepEqual(last.body.data, { items: items.slice(4), total: 3, page: 2, per_page: 2 });
    const past = await list(page(3));
    assert.deepEqual(past.body.data, { items: [], total: 3, page: 3, per_page: 2 });
  });

  it('A list begins with page 1 of 20 items, and has at most 100 on a page', async () => {
    const { body } = await call(base.url, 'GET', '/api/content');
    assert.equal(body.data.page, 1);
    assert.equal(body.data.per_page, 20);
    for (const per_page of [101, '9'.repeat(99), '9'.repeat(309)])
      assert.equal((await list({ per_page })).body.data.per_page, 100);
  });

  it('A list shows an earlier change or deletion at once', async () => {
    const { token } = await newAccount(base.url);
    const word = ideographs(5);
    const { id } = await newItem(base.url, token, { title: word, tags: [word], category: word });
    const total = async (query: object) => (await list({ ...query })).body.data.total;
    assert.deepEqual([await total({ keyword: word }), await total({ tag: word })], [1, 1]);
    await call(base.url, 'PUT', `/api/content/${id}`, { token, body: { title: 'T', tags: [] } });
    assert.deepEqual([await total({ keyword: word }), await total({ tag: word })], [0, 0]);
    assert.equal(await total({ category: word }), 1);
    await call(base.url, 'DELETE', `/api/content/${id}`, { token });
    assert.equal(await total({ category: word }), 0);
  });

  for (const [parameter, values] of Object.entries({
    page: ['0', '-1', '1.0', 'x', ''],
    per_page: ['0', '1e2', '+5', ''],
    author: ['0', '-1', 'ada', '1.5', '', '01', '99999999999999999999'],
    keyword: ['x'.repeat(101), 'a\u0000b'],
    category: ['x'.repeat(65), 'a\u0000b'],
    tag: ['x'.repeat(65), 'a\u0000b'],
  }))
    for (const value of values)
      it(`A list refuses ${parameter}=${JSON.stringify(value.slice(0, 20))}`, async () => {
        assertFailure(await list({ [parameter]: value }), 400, 'validation_failed', { field: parameter });
      });
});
