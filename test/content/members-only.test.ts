import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BUCKET_SIZE } from '../../src/store/counts.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { ROUTES } from '../support/contract.ts';
import { onEveryEngine } from '../support/engines.ts';
import { PLACES } from '../support/place.ts';
import { startHere } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

const SORTS = ['newest', 'oldest', 'changed', 'title'];

interface Listed {
  readonly id: number;
  readonly title: string;
}

onEveryEngine('Visibility', (engine) =>
  describeOnService(engine, 'of items', (service) => {
    const get = async (path: string, token?: string, headers = {}) => {
      const { status, body, headers: answered } = await call(service().url, 'GET', path, { token, headers });
      return { status, data: body?.data, etag: answered.get('etag') ?? '' };
    };

    it('A stranger finds an item for members in no filter, search, order or total, and an account in each', async () => {
      const author = await newAccount(service().url);
      const word = author.username;
      const members = { title: word, category: word, tags: [word], language: 'x-only' };
      const shown = await newItem(service().url, author.token, members);
      const hidden = await newItem(service().url, author.token, { ...members, visibility: 'members' });
      const filters = [
        `author=${author.id}`,
        `tag=${word}`,
        `any_tag=${word}`,
        `category=${word}`,
        'language=x-only',
        `keyword=${word}`,
      ];
      for (const filter of filters)
        for (const sort of ['id', ...SORTS]) {
          const path = `/api/content?${filter}&sort=${sort}`;
          const [stranger, account] = [await get(path), await get(path, author.token)];
          assert.deepEqual(
            [stranger.data.total, stranger.data.items.map(({ id }: Listed) => id)],
            [1, [shown.id]],
            path,
          );
          assert.equal(account.data.total, 2, path);
          assert.equal((await get(path, undefined, { 'if-none-match': account.etag })).status, 200);
        }
      assert.equal((await get('/api/content', author.token)).data.items.length > 0, true);
      const all = await get('/api/content?per_page=100');
      assert.ok(!all.data.items.some(({ id }: Listed) => id === hidden.id));
    });

    it('A token that is refused elsewhere reads what strangers read, where strangers may read', async () => {
      const author = await newAccount(service().url);
      const { id } = await newItem(service().url, author.token, { tags: [author.username] });
      await newItem(service().url, author.token, { visibility: 'members' });
      await call(service().url, 'POST', '/api/auth/logout', { token: author.token });
      for (const token of ['no.token.at.all', author.token]) {
        assert.equal((await get('/api/users', token)).status, 401);
        assert.equal((await get(`/api/content/${id}`, token)).data.id, id);
        for (const path of [
          `/api/content?author=${author.id}`,
          `/api/content/tags?prefix=${author.username}`,
        ])
          assert.equal((await get(path, token)).data.total, 1, path);
      }
    });

    it('A token that is refused elsewhere is 401 for an item that strangers do not find, as the document says', async () => {
      const author = await newAccount(service().url);
      const shown = await newItem(service().url, author.token);
      const drafted = await newItem(service().url, author.token, { status: 'draft', slug: author.username });
      const hidden = await newItem(service().url, author.token, { visibility: 'members' });
      await call(service().url, 'POST', '/api/auth/logout', { token: author.token });
      for (const [{ id, slug }, status] of [
        [shown, 200],
        [drafted, 401],
        [hidden, 401],
      ] as const)
        for (const path of [`/api/content/${id}`, `/api/content/by-slug/${slug}`])
          assert.equal((await get(path, author.token)).status, status, path);
      for (const { operation } of ROUTES)
        if (['getContent', 'getContentBySlug'].includes(operation.operationId))
          assert.match(operation.description, /401 or 403 says what is wrong with the token/);
    });

    it('A list of strangers lacks an item for members whose JSON a list of accounts has made, from the moment of the change', async () => {
      const { token, username } = await newAccount(service().url);
      const { id } = await newItem(service().url, token, { title: username });
      const listed = async (who?: string) => {
        const { data } = await get('/api/content?per_page=100', who);
        const page = Math.ceil(data.total / 100);
        return JSON.stringify((await get(`/api/content?per_page=100&page=${page}`, who)).data).includes(
          username,
        );
      };
      assert.deepEqual([await listed(), await listed(token)], [true, true]);
      const change = (visibility: string | null) =>
        call(service().url, 'PATCH', `/api/content/${id}`, { token, body: { visibility } });
      assert.equal((await change('members')).body.data.version, 2);
      assert.deepEqual([await listed(token), await listed()], [true, false]);
      assert.equal((await get(`/api/content/${id}`)).status, 404);
      assert.equal((await change(null)).body.data.visibility, 'public');
      assert.deepEqual([await listed(), await listed(token)], [true, true]);
    });

    it('Restoring an earlier version leaves who may see the item', async () => {
      const { token } = await newAccount(service().url);
      const { id } = await newItem(service().url, token, { title: 'first' });
      const put = (body: object) => call(service().url, 'PUT', `/api/content/${id}`, { token, body });
      await put({ title: 'second', visibility: 'members' });
      const restored = await call(service().url, 'POST', `/api/content/${id}/versions/1/restore`, { token });
      assert.deepEqual([restored.body.data.title, restored.body.data.visibility], ['first', 'members']);
      assert.equal((await get(`/api/content/${id}`)).status, 404);
    });

    it('Many changes in one request set who may see an item, and another value is refused', async () => {
      const { token } = await newAccount(service().url);
      const item = { title: 't', content: 'c', visibility: 'members' };
      const bulk = (operation: object) =>
        call(service().url, 'POST', '/api/content/bulk', { token, body: { operations: [operation] } });
      const [{ id }] = (await bulk({ action: 'create', item })).body.data.results;
      assert.equal((await get(`/api/content/${id}`)).status, 404);
      await bulk({ action: 'update', id, change: { visibility: 'public' } });
      assert.equal((await get(`/api/content/${id}`)).status, 200);
      for (const visibility of ['', 'Members', 'private', 1]) {
        const { status } = await call(service().url, 'POST', '/api/content', {
          token,
          body: { ...item, visibility },
        });
        assert.equal(status, 400);
      }
    });
  }),
);

/** In three blocks of ids: one item of 50 is public, and none of the second block. */
const ITEMS = 3 * BUCKET_SIZE;

for (const { name, newPlace } of PLACES)
  it(`Pages of strangers meet, and their totals are exact, where most items are for members, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const { url } = await startHere(t, { DATABASE_URL: place.url });
    const { id, token } = await newAccount(url);
    const isPublic = `i % 50 = 0 AND i / ${BUCKET_SIZE} <> 1`;
    await place.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ITEMS})
      INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, visibility)
      SELECT ${id}, 'Title ' || i, 'c', '', '[]', 1, i, i, CASE WHEN ${isPublic} THEN 'public' ELSE 'members' END FROM n`);
    const expected = Array.from({ length: ITEMS + 1 }, (_, i) => i).filter(
      (i) => i > 0 && i % 50 === 0 && Math.floor(i / BUCKET_SIZE) !== 1,
    );
    for (const sort of ['id', 'oldest']) {
      const found: number[] = [];
      for (let page = 1; found.length < expected.length; page++) {
        const { data } = (await call(url, 'GET', `/api/content?sort=${sort}&per_page=100&page=${page}`)).body;
        assert.equal(data.total, expected.length);
        assert.ok(data.items.length > 0, `page ${page} has items`);
        found.push(...data.items.map((item: Listed) => item.id));
      }
      assert.deepEqual(found, expected);
    }
    assert.equal((await call(url, 'GET', '/api/content', { token })).body.data.total, ITEMS);
    await place.sql(`UPDATE content SET visible = 0 WHERE visibility = 'members' AND id < 100`);
    await place.sql(
      `UPDATE content SET visibility = 'public' WHERE id = 1`,
      'DELETE FROM content WHERE id > 12000',
    );
    const left = expected.filter((each) => each <= 12_000).length;
    assert.equal((await call(url, 'GET', '/api/content')).body.data.total, left);
    assert.equal((await call(url, 'GET', '/api/content', { token })).body.data.total, 12_000 - 98);
  });
