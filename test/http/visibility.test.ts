import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { type DeclaredRoute, declaredRoutes } from '../support/declared.ts';
import { PLACES, type Place } from '../support/place.ts';
import { sampleBody } from '../support/samples.ts';
import { startHere } from '../support/service.ts';

/** In nothing but what is hidden. */
const MARK = 'xylophone';
const HIDDEN = {
  title: MARK,
  content: `the ${MARK}`,
  category: MARK,
  tags: [MARK, 'news'],
  language: 'x-hidden',
};

interface Hidden {
  readonly item: number;
  readonly author: Account;
}

/** What a parameter is asked for, by its name; one of a route below that is missing here fails its test. */
const VALUES: Record<string, (hidden: Hidden, path: string) => readonly (string | number)[]> = {
  page: () => ['2&per_page=1'],
  per_page: () => [1],
  keyword: () => [MARK, 'xyl', 'xy', `${MARK}@`, `"the ${MARK}"`],
  category: () => [MARK],
  language: () => [HIDDEN.language],
  tag: () => [MARK, 'news'],
  any_tag: () => [MARK, 'news'],
  author: ({ author }) => [author.id],
  status: () => ['published', 'draft', 'with_draft'],
  view: () => ['admin'],
  role: () => ['member'],
  state: () => ['active'],
  email_verified: () => ['false'],
  second_factor: () => ['false'],
  created_after: () => ['2020-01-01T00:00:00Z'],
  created_from: () => ['2020-01-01T00:00:00Z'],
  created_before: () => ['2100-01-01T00:00:00Z'],
  last_sign_in_after: () => ['2020-01-01T00:00:00Z'],
  last_sign_in_before: () => ['2100-01-01T00:00:00Z'],
  updated_from: () => ['2020-01-01T00:00:00Z'],
  updated_before: () => ['2100-01-01T00:00:00Z'],
  sort: (_, path) =>
    path === '/api/content' ? ['newest', 'oldest', 'changed', 'title', `relevance&keyword=${MARK}`] : ['id'],
  highlights: () => ['false', `true&keyword=${MARK}`],
  cursor: () => ['', `&keyword=${MARK}`],
  event: () => ['registered'],
  account: ({ author }) => [author.id],
  actor: ({ author }) => [author.id],
  address: () => ['127.0.0.1'],
  fields: () => ['id', 'title,content'],
  prefix: () => [MARK.slice(0, 3)],
  format: () => ['json', 'html'],
  from: () => [0],
  since: () => ['2020-01-01T00:00:00Z'],
  until: () => ['2100-01-01T00:00:00Z'],
};

const ROUTES = await declaredRoutes();

/** The routes that could show what is hidden: all that read, but for those that say that they show less. */
const READERS = ROUTES.filter(
  ({ method, shows }) => method === 'GET' && (shows === 'visible' || shows === 'all'),
);

/** The route as it is, with each value of each of its parameters, and with the first values of all at once. */
function addressesOf({ path, operation }: DeclaredRoute, hidden: Hidden): string[] {
  const id = path.startsWith('/api/content') ? hidden.item : hidden.author.id;
  const address = path.replace('{id}', String(id)).replace('{version}', '1').replace('{slug}', MARK);
  const parameters = (operation.parameters ?? []).filter((each) => each.in === 'query');
  const queries = parameters.flatMap(({ name }) => {
    const values = VALUES[name];
    assert.ok(values, `It is not known what to ask for by "${name}" of ${path}.`);
    return values(hidden, path).map((value) => `${name}=${value}`);
  });
  const together = parameters
    .filter(({ name }) => name !== 'page' && name !== 'cursor')
    .map(({ name }) => `${name}=${VALUES[name]?.(hidden, path)[0]}`)
    .join('&');
  return [address, ...[...queries, together].map((query) => encodeURI(`${address}?${query}`))];
}

for (const engine of PLACES)
  describe(`Hidden rows, on ${engine.name}`, () => {
    it('A hidden row is in no list, total, filter or search for any caller, and returns when shown', async (t) => {
      const { place, url, hidden, tokens } = await start(t, engine.newPlace);
      const { token: author } = hidden.author;
      // One caller is enough for what is shown: who else sees a row that is not hidden is asked elsewhere.
      const shown = await readAll(url, hidden, [author]);
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
      for (const [path, text] of Object.entries(await readAll(url, hidden, ['', ...tokens])))
        assert.ok(!text.includes(MARK), `${path} shows ${text}`);
      assert.deepEqual([await total('/api/content'), await total('/api/users')], [2, 3]);

      await place.sql('UPDATE content SET visible = 1', 'UPDATE users SET visible = 1');
      assert.deepEqual(await readAll(url, hidden, [author]), shown);
    });

    it('A hidden item is changed and deleted by no caller, on no route', async (t) => {
      const { place, url, hidden, tokens } = await start(t, engine.newPlace);
      await place.sql(`UPDATE content SET visible = 0 WHERE id = ${hidden.item}`);
      const stored = async () => [
        await place.sql(`SELECT * FROM content WHERE id = ${hidden.item}`),
        await place.sql(`SELECT * FROM content_drafts WHERE content_id = ${hidden.item}`),
      ];
      const before = await stored();
      assert.deepEqual(
        before.map((rows) => rows.length),
        [1, 1],
      );
      for (const role of ['editor', 'admin'] as const) {
        await place.sql(`UPDATE users SET role = '${role}' WHERE role <> 'member'`);
        for (const { method, path, body } of writesOf(hidden))
          for (const token of ['', ...tokens]) {
            const { status } = await call(url, method, path, {
              ...(token && { token }),
              ...(body && { body }),
            });
            assert.equal(status, token ? 404 : 401, `${method} ${path} as ${role} ${tokens.indexOf(token)}`);
          }
      }
      assert.deepEqual(await stored(), before);
    });
  });

async function start(t: TestContext, newPlace: (t: TestContext) => Promise<Place>) {
  const place = await newPlace(t);
  const { url } = await startHere(t, { DATABASE_URL: place.url });
  const [author, other, editor] = [await newAccount(url), await newAccount(url), await newAccount(url)];
  await newAccount(url, MARK);
  await place.sql(`UPDATE users SET role = 'editor' WHERE id = ${editor.id}`);
  await newItem(url, author.token, { title: 'first', content: 'the first', tags: ['news'] });
  const { id: item } = await newItem(url, author.token, HIDDEN);
  await newItem(url, other.token, { title: 'third' });
  const draft = { token: author.token, body: { title: 'a draft' } };
  assert.equal((await call(url, 'PUT', `/api/content/${item}/draft`, draft)).status, 200);
  const tokens: readonly [string, ...string[]] = [other.token, author.token, editor.token];
  return { place, url, hidden: { item, author }, tokens };
}

/** A request of every route that changes an item, about the hidden one. */
function writesOf({ item }: Hidden) {
  const ofItem = ROUTES.filter(
    ({ method, path }) => method !== 'GET' && /^\/api\/content\/.*\{id\}/.test(path),
  );
  const changes = [
    { action: 'update', id: item, change: { title: 'mine' } },
    { action: 'delete', id: item },
  ];
  return [
    ...ofItem.map(({ method, path, operation }) => ({
      method,
      path: path.replace('{id}', String(item)).replace('{version}', '1'),
      body: sampleBody(operation),
    })),
    ...changes.map((each) => ({
      ...{ method: 'POST', path: '/api/content/bulk', body: { operations: [each] } },
    })),
  ];
}

/** Everything that each reader shows to each of these tokens, of which '' is none; errors say no more than that. */
async function readAll(url: string, hidden: Hidden, tokens: readonly string[]) {
  const seen: Record<string, string> = {};
  for (const address of READERS.flatMap((route) => addressesOf(route, hidden)))
    for (const token of tokens) {
      const { status, body } = await call(url, 'GET', address, token === '' ? {} : { token });
      if (body.data.request_id !== undefined) body.data.request_id = '';
      const { items, total } = body.data;
      if (items !== undefined && !/per_page|cursor/.test(address))
        assert.equal(total, items.length, `${address} counts what it shows`);
      seen[`${address} ${tokens.indexOf(token)}`] = `${status} ${JSON.stringify(items ?? body.data)}`;
    }
  return seen;
}
