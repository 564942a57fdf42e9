import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CallOptions, call, newAccount, newItem, newName } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

onEveryEngine('The entity tag of a list', (engine) => {
  it('A list of content answers 304 for the list of all items too, and reads no text for it', async (t) => {
    const reads: string[] = [];
    const before = (operation: string) => void reads.push(operation);
    const { url } = await startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
    const { token } = await newAccount(url);
    await newItem(url, token);
    // Chosen members are not cached.
    const list = '/api/content?fields=title';
    const texts = () => reads.filter((name) => name === 'content.read_listed').length;
    const { headers } = await call(url, 'GET', list);
    assert.equal(texts(), 1);
    const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    assert.equal((await call(url, 'GET', list, known)).status, 304);
    assert.equal(texts(), 1);
    await newItem(url, token);
    assert.equal((await call(url, 'GET', list, known)).status, 200);
    assert.equal(texts(), 2);
  });

  it('A list shows the items that were found, and names what it shows, whatever is written before their texts are read', async (t) => {
    let write = async () => {};
    const before = (operation: string) => operation === 'content.read_listed' && write();
    const { url } = await startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
    const { token } = await newAccount(url);
    const made = [await newItem(url, token), await newItem(url, token), await newItem(url, token)];
    const step = '/api/content?per_page=2&fields=id,title&cursor=';
    const ids = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);
    const meanwhile = (change: () => Promise<unknown>) => {
      write = async () => {
        write = async () => {};
        await change();
      };
    };
    meanwhile(() => call(url, 'DELETE', `/api/content/${made[0]?.id}`, { token }));
    const first = (await call(url, 'GET', step)).body.data;
    const second = (await call(url, 'GET', step + first.next_cursor)).body.data;
    assert.deepEqual([ids(first), ids(second)], [[made[1]?.id], [made[2]?.id]]);

    const list = '/api/content?fields=id,title';
    const body = { title: 'changed meanwhile' };
    meanwhile(() => call(url, 'PUT', `/api/content/${made[1]?.id}`, { token, body }));
    const changed = await call(url, 'GET', list);
    assert.equal(changed.body.data.items[0].title, body.title);
    assert.equal(changed.headers.get('etag'), (await call(url, 'GET', list)).headers.get('etag'));
  });

  describeOnService(engine, 'on one service', (service) => {
    const ask = (method: string, path: string, options: CallOptions = {}) =>
      call(service().url, method, path, options);
    const start = async () => {
      const author = await newAccount(service().url);
      const { token } = author;
      const items = [
        await newItem(service().url, token),
        await newItem(service().url, token, { title: 'second' }),
      ];
      const list = `/api/content?author=${author.id}`;
      const tagOf = async (path = list) => (await ask('GET', path)).headers.get('etag') ?? '';
      const statusOf = async (tag: string, path = list) =>
        (await ask('GET', path, { headers: { 'if-none-match': tag } })).status;
      return { author, token, items, list, tagOf, statusOf };
    };

    it('A list of content answers 304 without a body as long as nothing of the page has changed', async () => {
      const { list, items } = await start();
      for (const path of [list, `${list}&fields=id`, `${list}&keyword=second`]) {
        const first = await ask('GET', path);
        const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
        for (const method of ['GET', 'HEAD']) {
          const again = await ask(method, path, { headers });
          assert.deepEqual([again.status, again.body], [304, undefined], path);
          for (const name of ['etag', 'link', 'vary', 'cache-control'])
            assert.equal(again.headers.get(name), first.headers.get(name), `${name} of ${path}`);
        }
      }
      assert.equal(items.length, 2);
    });

    it('A list of content differs after any change that the page shows: of an item, of its author, of the total', async () => {
      const { author, token, items, list, tagOf, statusOf } = await start();
      const seen = [await tagOf()];
      const change = async (method: string, path: string, body?: object) => {
        assert.equal((await ask(method, path, { token, ...(body && { body }) })).status, 200);
        assert.equal(await statusOf(seen.at(-1) ?? ''), 200, `${method} ${path}`);
        seen.push(await tagOf());
      };
      await change('PUT', `/api/content/${items[0].id}`, { meta: { a: 1 } });
      await change('PUT', '/api/users/me', { username: newName() });
      await change('POST', '/api/content', { title: 't', content: 'c' });
      await change('DELETE', `/api/content/${items[1].id}`);
      assert.equal(new Set(seen).size, seen.length);
      const far = await tagOf(`${list}&page=9`);
      await newItem(service().url, author.token);
      assert.equal(await statusOf(far, `${list}&page=9`), 200, 'the total of an empty page');
    });

    it('A list of content differs with the page, its size and its members, and is no tag of an item', async () => {
      const { token, items, list, tagOf } = await start();
      const tags = await Promise.all(
        ['', '&page=2', '&per_page=1', '&per_page=1&page=2', '&fields=id', '&fields=id,title'].map((query) =>
          tagOf(list + query),
        ),
      );
      assert.equal(new Set(tags).size, tags.length);
      const headers = { 'if-match': tags[0] ?? '' };
      const answer = await ask('PUT', `/api/content/${items[0].id}`, {
        token,
        headers,
        body: { title: 'x' },
      });
      assertFailure(answer, 412, 'version_conflict');
      const broken = await ask('GET', list, { headers: { 'if-none-match': 'x' } });
      assert.equal(broken.status, 200, 'a condition that cannot be read counts as absent');
    });

    it('A list of content lets only the client keep what it asked for with a token', async () => {
      const { token, list } = await start();
      const about = async (options: CallOptions) => {
        const { headers } = await ask('GET', list, options);
        return [headers.get('cache-control'), headers.get('vary')];
      };
      assert.deepEqual(await about({ token }), ['private, no-cache', 'Authorization']);
      assert.deepEqual(await about({}), ['no-cache', 'Authorization']);
    });
  });
});
