import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, newItem, newName } from '../support/client.ts';
import { declaredRoutes } from '../support/declared.ts';
import { onEveryEngine, sameDatabase, sqlite } from '../support/engines.ts';
import { linksOf } from '../support/list.ts';
import { newWithRole } from '../support/people.ts';
import { randomFrom } from '../support/seed.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { newPath } from '../support/target-of-route.ts';

interface Step {
  readonly items: readonly { readonly id: number }[];
  readonly next_cursor?: string;
}

onEveryEngine('Walking through a list', (engine) => {
  it('Each list is walked through whole and in its own order, with filters, a size for each step and links', async (t) => {
    const service = await startService(t, engine);
    const random = randomFrom(t);
    const name = newName('walker');
    const admin = await newWithRole(service, 'admin');
    for (let each = 0; each < 7; each++) await newAccount(service.url, `${name}${each}`);
    for (let each = 0; each < 9; each++)
      await newItem(service.url, admin.token, {
        title: `Item ${name} ${each % 2 ? 'odd' : 'even'}`,
        tags: ['x'],
      });
    const get = async (path: string) => {
      const answer = await call(service.url, 'GET', path, { token: admin.token });
      assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
      return answer;
    };
    for (const [list, count] of [
      ['/api/content?', 9],
      ['/api/content?tag=x&keyword=odd', 4],
      ['/api/content?tag=x&sort=id&highlights=true&keyword=item&fields=id,title', 9],
      ['/api/users?', 8],
      [`/api/users?keyword=${name}`, 7],
      [`/api/users?view=admin&keyword=${name}&sort=id`, 7],
      ['/api/audit?', undefined],
      ['/api/audit?event=registered', 8],
    ] as const) {
      const { data: whole } = (await get(`${list}&per_page=100`)).body;
      assert.equal(whole.items.length, count ?? whole.total, list);
      const items: unknown[] = [];
      let next: string | undefined = `${list}&cursor=&per_page=1`.replace('?&', '?');
      while (next) {
        const { headers, body } = await get(next);
        const { items: met, next_cursor, per_page, ...others }: Step & { per_page: number } = body.data;
        items.push(...met);
        assert.deepEqual([others, per_page], [{}, Number(new URLSearchParams(next).get('per_page'))]);
        const links = headers.get('link') ?? '';
        assert.match(links, /cursor=>; rel="first"/);
        const linked: string | undefined = /cursor=([\w-]+)>; rel="next"/.exec(links)?.[1];
        assert.equal(linked, next_cursor);
        const size = 1 + Math.floor(random() * 3);
        next = linked && `${list}&per_page=${size}&cursor=${linked}`;
      }
      assert.deepEqual(items, whole.items, list);
    }
  });

  describeOnService(
    engine,
    'of one service',
    (service) => {
      it('The headers of a list and of a walk stay below 4 KiB with the longest filters, which leave out its links', async () => {
        const { url } = service();
        const labels = (name: string) =>
          Array.from({ length: 8 }, (_, each) => `${name}=${encodeURIComponent('字'.repeat(63))}${each}`);
        const word = encodeURIComponent('字'.repeat(100));
        const filters = [
          ...labels('tag'),
          ...labels('any_tag'),
          `category=${'字'.repeat(64)}`,
          `keyword=${word}`,
        ];
        for (const path of [
          `/api/content?${filters.join('&')}`,
          `/api/content?${filters.join('&')}&cursor=`,
          `/api/content?keyword=${word}`,
        ]) {
          const { status, headers } = await call(url, 'GET', path);
          assert.equal(status, 200, path);
          const bytes = [...headers].reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
          assert.ok(bytes < 4_096, `${bytes} bytes of headers`);
          assert.equal(headers.has('link'), !path.includes('tag='), path);
        }
      });

      it('A cursor goes with no page and no order, and opens only the list and filters that it was made for', async () => {
        const admin = await newWithRole(service(), 'admin');
        for (let each = 0; each < 3; each++) await newItem(service().url, admin.token, { tags: ['x', 'y'] });
        const ask = (path: string) => call(service().url, 'GET', path, { token: admin.token });
        const first = await ask('/api/content?tag=x&any_tag=y&per_page=1&cursor=');
        const cursor: string = first.body.data.next_cursor;
        for (const [query, field] of [
          [`tag=x&any_tag=y&cursor=${cursor}&page=1`, 'page'],
          [`tag=x&any_tag=y&cursor=${cursor}&sort=newest`, 'sort'],
          ['cursor=&sort=title', 'sort'],
          [`cursor=${cursor}`, 'cursor'],
          [`tag=y&any_tag=x&cursor=${cursor}`, 'cursor'],
          [`tag=x&any_tag=y&author=${admin.id}&cursor=${cursor}`, 'cursor'],
          [`tag=x&any_tag=y&cursor=${cursor}A`, 'cursor'],
          [`tag=x&any_tag=y&cursor=${cursor.slice(1)}`, 'cursor'],
          [`tag=x&any_tag=y&cursor=${'A'.repeat(65)}`, 'cursor'],
        ] as const) {
          const { status, body } = await ask(`/api/content?${query}`);
          assert.deepEqual(
            [status, body.data.error, body.data.fields?.[0].field],
            [400, 'validation_failed', field],
            query,
          );
        }
        for (let at = 0; at < cursor.length; at++) {
          const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
          const { status } = await ask(`/api/content?tag=x&any_tag=y&cursor=${changed}`);
          assert.equal(status, 400, changed);
        }
        const reordered = await ask(`/api/content?cursor=${cursor}&any_tag=y&tag=x&per_page=100`);
        assert.equal(reordered.body.data.items.length, 2);
        const users = await ask('/api/users?cursor=&view=admin&sort=username');
        assert.deepEqual([users.status, users.body.data.fields[0].field], [400, 'sort']);
      });

      it('Each link of a list leads to a list, also below an item, an account or a webhook', async () => {
        const admin = await newWithRole(service(), 'admin');
        const lists = (await declaredRoutes()).filter(
          ({ method, operation }) =>
            method === 'GET' &&
            operation.parameters?.some(({ in: where, name }) => where === 'query' && name === 'page'),
        );
        assert.ok(lists.length > 10, `${lists.length} lists`);
        for (const { path } of lists) {
          const asked = await newPath(service().url, path, admin);
          const { status, headers } = await call(service().url, 'GET', asked, admin);
          assert.equal(status, 200, asked);
          const links = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
          assert.deepEqual(
            links.map(([, , rel]) => rel),
            ['first', 'last'],
            asked,
          );
          for (const [, link = ''] of links)
            assert.equal((await call(service().url, 'GET', link, admin)).status, 200, link);
        }
      });
    },
    { WEBHOOK_PRIVATE: 'on' },
  );

  it('A step of a walk has an entity tag, which another item on it or behind it changes', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    await newItem(url, token);
    const get = (tag: string) =>
      call(url, 'GET', '/api/content?cursor=&per_page=2', { headers: { 'if-none-match': tag } });
    const tags = [(await get('"x"')).headers.get('etag') ?? ''];
    assert.equal((await get(tags[0] ?? '')).status, 304);
    for (let each = 0; each < 2; each++) {
      await newItem(url, token);
      const { status, headers } = await get(tags.at(-1) ?? '');
      assert.equal(status, 200);
      tags.push(headers.get('etag') ?? '');
    }
    assert.equal(new Set(tags).size, 3);
  });

  it('A cursor continues on every service of its database, after a restart too, and on no other database', async (t) => {
    const same = await sameDatabase(t, engine);
    const one = await startService(t, same);
    const { token } = await newAccount(one.url);
    for (let each = 0; each < 2; each++) await newItem(one.url, token);
    const { body } = await call(one.url, 'GET', '/api/content?cursor=&per_page=1');
    const path = `/api/content?cursor=${body.data.next_cursor}`;
    await one.stop();
    const again = await startService(t, same);
    assert.equal((await call(again.url, 'GET', path)).body.data.items.length, 1);
    const other = await startService(t, engine);
    assert.equal((await call(other.url, 'GET', path)).status, 400);
  });
});

it('Links of lists and walks have the path that clients see, where the service is below a path of its host', async (t) => {
  const { url } = await startService(t, sqlite, { PUBLIC_URL: 'https://stoa.example/accounts' });
  const { token } = await newAccount(url);
  await newAccount(url);
  for (let each = 0; each < 2; each++) await newItem(url, token);
  for (const path of ['/api/users', '/api/content'])
    for (const place of ['page=1', 'cursor=']) {
      const { headers } = await call(url, 'GET', `${path}?per_page=1&${place}`, { token });
      const { next = '' } = linksOf(headers);
      assert.equal(next.split('?')[0], `/accounts${path}`, place);
    }
});
