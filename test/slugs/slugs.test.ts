import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OLD_SLUGS } from '../../src/content/old-slugs.ts';
import { type Account, call, newAccount, newItem, newName } from '../support/client.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

/** The number of a slug that begins with this name; 1 for the name itself. */
const numberOf = (name: string, slug: string) => (slug === name ? 1 : Number(slug.replace(`${name}-`, '')));

onEveryEngine('Slugs', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const account = () => newAccount(service().url);
    const ask = (who: Account | undefined, method: string, path: string, body?: object) =>
      call(service().url, method, path, { token: who?.token, ...(body && { body }) });
    const write = (who: Account, members: object = {}) => newItem(service().url, who.token, members);
    const bySlug = (slug: string, query = '', init: RequestInit = {}) =>
      fetch(`${service().url}/api/content/by-slug/${encodeURIComponent(slug)}${query}`, {
        redirect: 'manual',
        ...init,
      });
    const change = async (who: Account, id: number, members: object) => {
      const { status, body } = await ask(who, 'PUT', `/api/content/${id}`, members);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    };

    it('Items with one title are numbered in their order, in one request and in many', async () => {
      const author = await account();
      const title = newName('same');
      const operations = Array.from({ length: 100 }, () => ({
        action: 'create',
        item: { title, content: '' },
      }));
      const { body } = await ask(author, 'POST', '/api/content/bulk', { operations });
      const slugs = await Promise.all(
        body.data.results.map(
          async ({ id }: { id: number }) =>
            (await ask(author, 'GET', `/api/content/${id}?fields=slug`)).body.data.slug,
        ),
      );
      assert.deepEqual(
        slugs.map((slug) => numberOf(title, slug)),
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
      assert.equal((await write(author, { title })).slug, `${title}-101`);
      // A number that somebody chose is passed over, and one that is free again is no reason to begin anew.
      await write(author, { title: 'chosen', slug: `${title}-102` });
      assert.equal((await write(author, { title })).slug, `${title}-103`);
    });

    it('32 items that are created at once with one title get 32 slugs', async () => {
      const author = await account();
      const title = newName('once');
      const items = await Promise.all(Array.from({ length: 32 }, () => write(author, { title })));
      const numbers = items.map(({ slug }) => numberOf(title, slug)).toSorted((a, b) => a - b);
      assert.equal(new Set(numbers).size, 32);
      assert.equal(numbers[0], 1);
      assert.ok(
        numbers.every((number) => Number.isSafeInteger(number) && number > 0),
        numbers.join(),
      );
      for (const { id, slug } of items) assert.equal((await (await bySlug(slug)).json()).data.id, id);
    });

    it('An author chooses a slug wherever an item is written, and a bad or taken one changes nothing', async () => {
      const [author, other] = [await account(), await account()];
      const [first, second] = [newName('first'), newName('second')];
      const item = await write(author, { slug: first, title: 'A title' });
      assert.equal(item.slug, first);
      const { id } = await write(other);
      const path = `/api/content/${id}`;
      const bulk = (slug: string) => ({ operations: [{ action: 'update', id, change: { slug } }] });
      const creating = (slug: string) => ({
        operations: [
          { action: 'delete', id },
          { action: 'create', item: { title: 't', content: '', slug } },
        ],
      });
      for (const [slug, error, index] of [
        [first, 'taken', 1],
        ['Not a slug', 'validation_failed', 1],
      ] as const) {
        assertFailure(
          await ask(other, 'POST', '/api/content', { title: 't', content: '', slug }),
          400,
          error,
        );
        assertFailure(await ask(other, 'PUT', path, { slug }), 400, error);
        assertFailure(await ask(other, 'PATCH', path, { slug }), 400, error);
        assertFailure(await ask(other, 'POST', '/api/content/bulk', bulk(slug)), 400, error);
        const refused = await ask(other, 'POST', '/api/content/bulk', creating(slug));
        assertFailure(refused, 400, error);
        assert.equal(refused.body.data.index, index);
        assert.equal(refused.body.data.fields[0].field, 'slug');
      }
      assert.equal((await ask(other, 'GET', path)).body.data.version, 1);
      assert.equal((await ask(other, 'PATCH', path, { slug: second })).body.data.slug, second);
      assert.equal((await ask(other, 'POST', '/api/content/bulk', bulk(newName('third')))).status, 200);
    });

    it('A change of the slug is a version, and a restored version leaves the slug', async () => {
      const author = await account();
      const { id, slug } = await write(author, { title: newName('one') });
      const next = newName('next');
      const changed = await change(author, id, { slug: next, title: 'Two' });
      assert.deepEqual([changed.version, changed.slug], [2, next]);
      assert.equal((await change(author, id, { slug: next })).version, 2);
      const restored = await ask(author, 'POST', `/api/content/${id}/versions/1/restore`);
      assert.deepEqual([restored.body.data.title, restored.body.data.slug], [slug, next]);
    });

    it('An item is found by its slug in any case and form, as it is by its id', async () => {
      const author = await account();
      const word = newName('café');
      const { id, slug } = await write(author, { title: `${word} Σ` });
      const expected = await (await fetch(`${service().url}/api/content/${id}`)).text();
      for (const each of [slug, slug.toUpperCase(), slug.normalize('NFD')]) {
        const found = await bySlug(each);
        assert.deepEqual([found.status, await found.text()], [200, expected], each);
      }
      const etag = (await bySlug(slug)).headers.get('etag') ?? '';
      assert.equal((await bySlug(slug, '', { headers: { 'if-none-match': etag } })).status, 304);
      const head = await bySlug(slug, '', { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
      assert.deepEqual((await (await bySlug(slug, '?fields=slug,id')).json()).data, { id, slug });
      const longest = '%E5%AD%97'.repeat(42);
      for (const none of [newName('none'), '../x', 'a/b', 'a b', '%', '\0', 'x'.repeat(900)])
        assert.equal((await bySlug(none)).status, 404, none);
      assert.equal((await fetch(`${service().url}/api/content/by-slug/${longest}`)).status, 404);
      assert.equal((await bySlug(slug, '?fields=none')).status, 400);
    });

    it('The old slugs of an item lead to it through the trash, and are free when it is purged', async () => {
      const [author, other] = [await account(), await account()];
      const [first, second, third] = [newName('first'), newName('second'), newName('third')];
      const { id } = await write(author, { title: first });
      await change(author, id, { slug: second });
      await change(author, id, { slug: third });
      for (const old of [first, second]) {
        const moved = await bySlug(old, '?fields=id&format=html');
        assert.equal(moved.status, 301);
        assert.equal(moved.headers.get('location'), `/api/content/by-slug/${third}?fields=id&format=html`);
        assert.match(moved.headers.get('vary') ?? '', /Authorization/);
        assert.equal(moved.headers.get('cache-control'), 'no-cache');
      }
      await change(author, id, { slug: first });
      assert.deepEqual([(await bySlug(first)).status, (await bySlug(third)).status], [200, 301]);
      await ask(author, 'DELETE', `/api/content/${id}`);
      for (const headers of [{}, { 'if-none-match': '*' }])
        for (const slug of [first, second]) assert.equal((await bySlug(slug, '', { headers })).status, 404);
      const taken = { title: 't', content: '', slug: second };
      assertFailure(await ask(other, 'POST', '/api/content', taken), 400, 'taken');
      assert.equal((await write(other, { title: second })).slug, `${second}-2`);
      assert.equal((await ask(author, 'POST', `/api/content/trash/${id}/restore`)).body.data.slug, first);
      assert.deepEqual([(await bySlug(first)).status, (await bySlug(second)).status], [200, 301]);
      await ask(author, 'DELETE', `/api/content/${id}`);
      assert.equal((await ask(author, 'DELETE', `/api/content/trash/${id}`)).status, 200);
      assert.equal((await bySlug(second)).status, 404);
      for (const slug of [first, second]) assert.equal((await write(other, { slug })).slug, slug);
    });

    it('The old slugs of a draft or of an item for members lead those to it who may see it, and nobody else', async () => {
      const [author, other] = [await account(), await account()];
      const moderator = await newWithRole(service(), 'editor');
      const [first, second] = [newName('first'), newName('second')];
      const { id } = await write(author, { title: first });
      await change(author, id, { slug: second });
      await change(author, id, { status: 'draft' });
      const statuses = async (who?: Account) => {
        const headers = who ? { authorization: `Bearer ${who.token}` } : {};
        return [
          (await bySlug(first, '', { headers })).status,
          (await bySlug(second, '', { headers })).status,
        ];
      };
      for (const who of [author, moderator]) assert.deepEqual(await statuses(who), [301, 200]);
      for (const who of [other, undefined]) assert.deepEqual(await statuses(who), [404, 404]);
      const headers = { authorization: `Bearer ${author.token}` };
      const { data } = await (await bySlug(first, '', { headers })).json();
      assert.deepEqual(data, { moved_to: { id, slug: second } });
      await change(author, id, { status: 'published', visibility: 'members' });
      assert.deepEqual(
        [await statuses(other), await statuses()],
        [
          [301, 200],
          [404, 404],
        ],
      );
    });

    it(`An item keeps its newest ${OLD_SLUGS} old slugs`, async () => {
      const [author, other] = [await account(), await account()];
      const name = newName('kept');
      const { id } = await write(author, { title: name });
      // A bulk request has one time, so that the two oldest are of another.
      await change(author, id, { slug: `${name}-a` });
      await change(author, id, { slug: `${name}-b` });
      const operations = Array.from({ length: OLD_SLUGS }, (_, index) => ({
        action: 'update',
        id,
        change: { slug: `${name}-x${index}` },
      }));
      assert.equal((await ask(author, 'POST', '/api/content/bulk', { operations })).status, 200);
      const statuses = [name, `${name}-a`, `${name}-b`].map(async (slug) => (await bySlug(slug)).status);
      assert.deepEqual(await Promise.all(statuses), [404, 404, 301]);
      assert.equal((await write(other, { slug: name })).slug, name);
    });

    it('A repeated request with its key has the slug that the first one got', async () => {
      const author = await account();
      const title = newName('key');
      await write(author, { title });
      const send = () =>
        call(service().url, 'POST', '/api/content', {
          token: author.token,
          headers: { 'idempotency-key': title },
          body: { title, content: '' },
        });
      const [first, again] = [await send(), await send()];
      assert.deepEqual([first.body.data.slug, again.body.data], [`${title}-2`, first.body.data]);
    });

    it('An ended session creates nothing, whatever the slug', async () => {
      const author = await account();
      const title = newName('ended');
      await write(author, { title });
      await ask(author, 'POST', '/api/auth/logout');
      assert.equal((await ask(author, 'POST', '/api/content', { title, content: '' })).status, 401);
    });

    it('The export of an account has the slugs of its items', async () => {
      const author = await newWithRole(service(), 'member');
      const { slug } = await write(author, { title: newName('own') });
      const answer = await fetch(`${service().url}/api/users/me/export`, {
        headers: { authorization: `Bearer ${author.token}` },
      });
      assert.match(await answer.text(), new RegExp(`"slug":"${slug}"`));
    });
  }),
);

it('An old slug leads to the path that clients see, where the service is below a path of its host', async (t) => {
  const { url } = await startService(t, sqlite, { PUBLIC_URL: 'https://stoa.example/accounts' });
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { title: 'first' });
  await call(url, 'PUT', `/api/content/${id}`, { token, body: { slug: 'second' } });
  const moved = await fetch(`${url}/api/content/by-slug/first`, { redirect: 'manual' });
  assert.equal(moved.headers.get('location'), '/accounts/api/content/by-slug/second');
});
