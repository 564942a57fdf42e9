import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CallOptions, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { describeOnService } from '../support/suite.ts';

const LONG = 'long '.repeat(1_000);

onEveryEngine('The members that a reader asks for', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const ask = (path: string, options: CallOptions = {}) => call(service().url, 'GET', path, options);
    const start = async (members: object = {}) => {
      const { token } = await newAccount(service().url);
      const item = await newItem(service().url, token, members);
      return { token, item, path: `/api/content/${item.id}`, list: `/api/content?author=${item.author.id}` };
    };
    const textOf = async (path: string) => (await fetch(service().url + path)).text();

    it('Members that a reader selects are all that an item has, alone and in a list, in the order of the item', async () => {
      const { item, path, list } = await start({ tags: ['a'], meta: { b: 1 } });
      const { id, title, meta, author } = item;
      for (const fields of ['id,title,meta,author', 'author,meta,title,id,id'])
        assert.deepEqual((await ask(`${path}?fields=${fields}`)).body.data, { id, title, meta, author });
      assert.equal(
        await textOf(`${path}?fields=title,id`),
        JSON.stringify({ code: 200, data: { id, title } }),
      );
      const { body } = await ask(`${list}&fields=title,tags`);
      assert.deepEqual(body.data, { items: [{ title, tags: ['a'] }], total: 1, page: 1, per_page: 20 });
      const plain = (await ask('/api/content?per_page=100&fields=id')).body.data.items;
      assert.ok(plain.length > 0 && plain.every((each: object) => Object.keys(each).join() === 'id'));
    });

    it('Members that a reader selects do not alter the answer of who asks for none, whoever asked before', async () => {
      const { item, path, list } = await start({ content: LONG });
      const before = [await textOf(path), await textOf(list)];
      await ask(`${path}?fields=id`);
      await ask(`${list}&fields=id`);
      assert.deepEqual([await textOf(path), await textOf(list)], before);
      assert.equal(before[0], JSON.stringify({ code: 200, data: item }));
      // The list of all items shows each as it was made before.
      const page = async (query: string) => (await ask(`/api/content?per_page=100${query}`)).body.data.items;
      await page('&fields=id');
      const shown = (await page('')).find((each: { id: number }) => each.id === item.id);
      assert.deepEqual(Object.keys(shown).toSorted(), [...Object.keys(item), 'content_truncated'].toSorted());
    });

    it('Members that a reader selects come with what says that they are not whole', async () => {
      const { list } = await start({ content: LONG });
      const listed = async (fields: string) =>
        (await ask(`${list}&per_page=100&fields=${fields}`)).body.data.items[0];
      assert.deepEqual(await listed('content'), { content: LONG.slice(0, 1_000), content_truncated: true });
      assert.deepEqual(Object.keys(await listed('title')), ['title']);
    });

    it('Members that a reader selects have an entity tag of their own, which a change takes like any other', async () => {
      const { token, path } = await start();
      const tagOf = async (query: string) => (await ask(path + query)).headers.get('etag') ?? '';
      const [whole, some, same] = [
        await tagOf(''),
        await tagOf('?fields=id,title'),
        await tagOf('?fields=title,id'),
      ];
      assert.notEqual(whole, some);
      assert.equal(some, same);
      const status = async (query: string, tag: string) =>
        (await ask(path + query, { headers: { 'if-none-match': tag } })).status;
      assert.deepEqual(
        [await status('', whole), await status('', some), await status('?fields=id,title', some)],
        [304, 200, 304],
      );
      const options = { token, headers: { 'if-match': some }, body: { title: 'new' } };
      assert.equal((await call(service().url, 'PUT', path, options)).status, 200);
      assert.equal((await call(service().url, 'PUT', path, options)).status, 412);
      assert.equal(await status('?fields=id,title', some), 200);
    });

    it('Members that a reader selects are 400 where there is no such member, and a 404 stays one', async () => {
      const { path, list } = await start();
      for (const fields of [
        '',
        'id,',
        'name',
        'id,Title',
        'id,%20title',
        'content_truncated',
        'toString',
        `id${',id'.repeat(500)}`,
      ])
        for (const each of [`${path}?`, `${list}&`])
          assertFailure(await ask(`${each}fields=${fields}`), 400, 'validation_failed', { field: 'fields' });
      assertFailure(await ask(`${path}?fields=id&fields=title`), 400, 'validation_failed', {
        field: 'fields',
      });
      assertFailure(await ask(`${path}?field=id`), 400, 'validation_failed', { field: 'field' });
      assertFailure(await ask('/api/content/999999?fields=id'), 404, 'not_found');
    });
  }),
);
