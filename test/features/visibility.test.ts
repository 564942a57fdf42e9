import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { PLACES, type Place } from '../support/place.ts';
import { startService } from '../support/service.ts';

/** In nothing but what is hidden. */
const MARK = 'xylophone';
const HIDDEN = { title: MARK, content: `the ${MARK}`, category: MARK, tags: [MARK, 'news'] };

/** What each route that reads is asked here; a route that is missing fails the test below. */
const READERS: Record<string, (hidden: { item: number; author: Account }) => string[]> = {
  '/api/content': ({ author }) => [
    '',
    ...['?per_page=1', '?page=2&per_page=1', `?author=${author.id}`, '?tag=news', `?tag=${MARK}`],
    ...[`?category=${MARK}`, `?keyword=${MARK}`, '?keyword=xyl', `?keyword="the ${MARK}"`],
    `?keyword=${MARK}&category=${MARK}&tag=${MARK}&author=${author.id}`,
  ],
  '/api/content/{id}': ({ item }) => [`/${item}`],
  '/api/audit': () => ['', '?event=registered'],
  '/api/users/{id}': ({ author }) => [`/${author.id}`],
  '/api/users': () => [
    '',
    '?view=admin',
    '?page=2&per_page=1',
    `?keyword=${MARK}`,
    '?keyword=xy',
    `?keyword=${MARK}@`,
  ],
};
/** These show the caller, or nothing of users and content. */
const OTHERS = [
  '/',
  '/api/auth/events',
  '/api/auth/passkeys',
  '/api/auth/second-factors',
  '/api/auth/sessions',
  '/api/auth/settings',
  '/api/auth/tokens',
  '/api/invitations',
  '/api/users/me',
  '/api/users/me/export',
  '/api/users/{id}/sessions',
  '/api/users/{id}/tokens',
  '/livez',
  '/readyz',
  '/.well-known/jwks.json',
];

it('Every route that reads is known here', async () => {
  const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
  const paths = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    'get' in operations ? [path] : [],
  );
  assert.deepEqual(
    paths.filter((path) => !(path in READERS) && !OTHERS.includes(path)),
    [],
  );
});

for (const engine of PLACES)
  describe(`What is hidden, on ${engine.name}`, () => {
    it('is in no list, total, filter or search of any route, for anybody, and comes back when it is shown', async (t) => {
      const { place, url, hidden, tokens } = await start(t, engine.newPlace);
      const shown = await readAll(url, hidden, tokens);
      assert.ok(
        Object.values(shown).some((text) => text.includes(MARK)),
        'the mark is there to be seen',
      );
      const total = async (path: string) =>
        (await call(url, 'GET', path, { token: tokens[0] })).body.data.total;
      assert.deepEqual([await total('/api/content'), await total('/api/users')], [3, 4]);

      await place.sql(
        `UPDATE content SET visible = 0 WHERE id = ${hidden.item}`,
        `UPDATE users SET visible = 0 WHERE username = '${MARK}'`,
      );
      for (const [path, text] of Object.entries(await readAll(url, hidden, tokens)))
        assert.ok(!text.includes(MARK), `${path} shows ${text}`);
      assert.deepEqual([await total('/api/content'), await total('/api/users')], [2, 3]);

      await place.sql('UPDATE content SET visible = 1', 'UPDATE users SET visible = 1');
      assert.deepEqual(await readAll(url, hidden, tokens), shown);
    });

    it('is changed and deleted by nobody', async (t) => {
      const { place, url, hidden, tokens } = await start(t, engine.newPlace);
      await place.sql(`UPDATE content SET visible = 0 WHERE id = ${hidden.item}`);
      for (const method of ['PUT', 'DELETE'])
        for (const token of tokens.slice(1)) {
          const body = method === 'PUT' ? { body: { title: 'mine' } } : {};
          assert.equal(
            (await call(url, method, `/api/content/${hidden.item}`, { token, ...body })).status,
            404,
          );
        }
      assert.equal((await place.sql(`SELECT title FROM content WHERE id = ${hidden.item}`))[0]?.title, MARK);
    });
  });

async function start(t: TestContext, newPlace: (t: TestContext) => Promise<Place>) {
  const place = await newPlace(t);
  const { url } = await startService(t, { name: '', settings: async () => ({ DATABASE_URL: place.url }) });
  const [author, other, editor] = [await newAccount(url), await newAccount(url), await newAccount(url)];
  await newAccount(url, MARK);
  await place.sql(`UPDATE users SET role = 'editor' WHERE id = ${editor.id}`);
  await newItem(url, author.token, { title: 'first', content: 'the first', tags: ['news'] });
  const { id: item } = await newItem(url, author.token, HIDDEN);
  await newItem(url, other.token, { title: 'third' });
  const tokens: readonly [string, ...string[]] = [other.token, author.token, editor.token];
  return { place, url, hidden: { item, author }, tokens };
}

/** Everything that each reader shows to each caller, and to nobody in particular; errors say no more than that. */
async function readAll(url: string, hidden: { item: number; author: Account }, tokens: readonly string[]) {
  const seen: Record<string, string> = {};
  for (const [path, queries] of Object.entries(READERS))
    for (const query of queries(hidden))
      for (const token of ['', ...tokens]) {
        const address = `${path.replace('/{id}', '')}${query}`;
        const { status, body } = await call(url, 'GET', encodeURI(address), token === '' ? {} : { token });
        if (body.data.request_id !== undefined) body.data.request_id = '';
        seen[`${address} ${tokens.indexOf(token)}`] =
          `${status} ${JSON.stringify(body.data.items ?? body.data)}`;
      }
  return seen;
}
