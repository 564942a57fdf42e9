import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { longText } from '../support/long-text.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

const KIB = 1024;

onEveryEngine('The history of an item', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const ask = (method: string, path: string, token?: string, body?: object) =>
      call(service().url, method, path, { token, ...(body && { body }) });
    const change = async (id: number, token: string, body: object) => {
      const answer = await ask('PUT', `/api/content/${id}`, token, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.data;
    };
    const readVersion = async (id: number, token: string, version: number) =>
      (await ask('GET', `/api/content/${id}/versions/${version}`, token)).body.data;

    it('The history of an item has each version as it was, who made it and when, and what it changed', async () => {
      const { url } = service();
      const [author, editor] = [await newAccount(url), await newWithRole(service(), 'editor')];
      const first = await newItem(url, author.token, {
        title: 'one',
        content: 'é',
        category: 'c',
        tags: ['a'],
      });
      const second = await change(first.id, editor.token, { title: 'two', tags: [] });
      const third = await change(first.id, author.token, { content: 'other', title: 'two' });
      const by = ({ id, username }: typeof author) => ({ id, username });
      const { body } = await ask('GET', `/api/content/${first.id}/versions`, author.token);
      assert.deepEqual(body.data, {
        items: [
          { version: 3, at: third.updated_at, by: by(author), changed: ['content'], bytes: 5 },
          { version: 2, at: second.updated_at, by: by(editor), changed: ['title', 'tags'], bytes: 2 },
          { version: 1, at: first.updated_at, by: by(author), bytes: 2 },
        ],
        total: 3,
        page: 1,
        per_page: 20,
      });
      for (const [record, item] of [first, second, third].map((each, index) => [
        each,
        body.data.items[2 - index],
      ])) {
        const { title, content, category, tags } = record;
        assert.deepEqual(await readVersion(first.id, editor.token, record.version), {
          ...{ title, content, category, tags },
          ...item,
        });
      }
      const page = await ask('GET', `/api/content/${first.id}/versions?per_page=2&page=2`, author.token);
      assert.deepEqual(page.body.data.items, [body.data.items[2]]);
      assert.match(page.headers.get('link') ?? '', /rel="prev"/);
      for (const version of [4, 99])
        assertFailure(
          await ask('GET', `/api/content/${first.id}/versions/${version}`, author.token),
          404,
          'not_found',
        );
    });

    it('The history of an item has long texts to the byte, whatever was changed in them and in which order', async () => {
      const { token } = await newAccount(service().url);
      const base = longText('a', 40 * KIB);
      const texts = [
        base,
        base.replace('word70', 'w\u{10FFFF}rd'),
        `${base.slice(1000)}ü`,
        'short',
        longText('b', 30 * KIB),
        `\u{1F3DB}${longText('b', 30 * KIB)}`,
        longText('c', 9 * KIB),
        base,
        base + base,
        '',
      ];
      const { id } = await newItem(service().url, token, { content: texts[0] });
      for (const content of texts.slice(1)) await change(id, token, { content });
      for (const [index, content] of texts.entries())
        assert.equal((await readVersion(id, token, index + 1)).content, content, `version ${index + 1}`);
    });

    it('The history of an item has nothing of a change that changes nothing', async () => {
      const { token } = await newAccount(service().url);
      const members = { title: 't', content: longText('n', 10 * KIB), category: 'c', tags: ['a', 'b'] };
      const item = await newItem(service().url, token, members);
      for (const body of [members, { title: 't' }, { tags: [' a', 'b', 'a'] }])
        assert.deepEqual(await change(item.id, token, body), item);
      const changed = await change(item.id, token, { ...members, title: 'u' });
      assert.deepEqual(changed, { ...item, title: 'u', version: 2, updated_at: changed.updated_at });
      const { body } = await ask('GET', `/api/content/${item.id}/versions`, token);
      assert.deepEqual([body.data.total, body.data.items[0].changed], [2, ['title']]);
    });

    it('The history of an item is for the author, editors and admins, and for nobody once the item is deleted', async () => {
      const { url } = service();
      const [author, other] = [await newAccount(url), await newAccount(url)];
      const { id } = await newItem(url, author.token);
      await change(id, author.token, { title: 'two' });
      const path = `/api/content/${id}/versions`;
      const paths = [path, `${path}/1`, `${path}/1/difference`];
      for (const each of paths) {
        assertFailure(await ask('GET', each), 401, 'token_missing');
        assertFailure(await ask('GET', each, other.token), 403, 'forbidden');
        for (const { token } of [
          author,
          await newWithRole(service(), 'editor'),
          await newWithRole(service(), 'admin'),
        ])
          assert.equal((await ask('GET', each, token)).status, 200);
      }
      assertFailure(await ask('POST', `${path}/1/restore`, other.token), 403, 'forbidden');
      assert.equal((await ask('DELETE', `/api/content/${id}`, author.token)).status, 200);
      for (const each of paths) assertFailure(await ask('GET', each, author.token), 404, 'not_found');
      assertFailure(await ask('POST', `${path}/1/restore`, author.token), 404, 'not_found');
    });

    it('The history of an item gives a version back as a new one, and only once', async () => {
      const { url } = service();
      const [author, editor] = [await newAccount(url), await newWithRole(service(), 'editor')];
      const content = longText('r', 20 * KIB);
      const first = await newItem(url, author.token, { title: 'one', content, category: 'c', tags: ['a'] });
      await change(first.id, author.token, {
        content: content.replace('word7', ''),
        category: '',
        tags: ['b'],
      });
      await change(first.id, author.token, { content: 'gone' });
      const restore = () => ask('POST', `/api/content/${first.id}/versions/1/restore`, editor.token);
      for (let times = 0; times < 2; times++) {
        const { status, body } = await restore();
        assert.equal(status, 200);
        assert.deepEqual(body.data, { ...first, version: 4, updated_at: body.data.updated_at });
      }
      assert.equal((await readVersion(first.id, author.token, 3)).content, 'gone');
      const found = await call(url, 'GET', '/api/content?tag=a&per_page=100');
      assert.equal(found.status, 200, JSON.stringify(found.body));
      assert.ok(found.body.data.items.some((item: { id: number }) => item.id === first.id));
      const { by } = await readVersion(first.id, author.token, 4);
      assert.equal(by.username, editor.username);
    });
  }),
);

onEveryEngine('What earlier versions take', (engine) => {
  it('The history of an item counts for the author of the item, and no longer once it is deleted', async (t) => {
    const { url, passTime } = await startService(t, engine, { STORED_MB: '1', TRASH_DAYS: '0' });
    const { token } = await newAccount(url);
    const create = () => call(url, 'POST', '/api/content', { token, body: { title: 't', content: 'x' } });
    const { id } = await newItem(url, token, { content: 'x'.repeat(300 * KIB) });
    for (const letter of ['a', 'b', 'c']) {
      const content = longText(letter, 300 * KIB);
      assert.equal((await call(url, 'PUT', `/api/content/${id}`, { token, body: { content } })).status, 200);
    }
    assertFailure(await create(), 400, 'storage_full');
    passTime(11 * 60_000);
    assertFailure(await create(), 400, 'storage_full');
    assert.equal((await call(url, 'DELETE', `/api/content/${id}`, { token })).status, 200);
    passTime(10_000);
    assert.equal((await create()).status, 200);
  });
});
