import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { SORTED } from '../../src/lists/order.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { PLACES, type Place } from '../support/place.ts';
import { randomFrom } from '../support/seed.ts';
import { startService } from '../support/service.ts';

/** More than are sorted at once, also of the commonest tag. */
const ITEMS = 2 * SORTED + 500;
const LISTS = 40;
const ORDERS = ['id', 'newest', 'oldest', 'changed', 'title'] as const;
const TITLES = ['a', 'A', 'B', 'b', 'Zebra', 'zebra 2', '_', '~', 'é', 'É', '字', '\u{1F3DB}', '\uffee'];
const TAGS = ['common', 'usual', 'rare', "o'clock"];
/** How many of the items have each tag. */
const SHARES = [0.8, 0.4, 0.02, 0.1];
const CATEGORIES = ['', 'news', 'other'];
const LANGUAGES = ['', 'de', 'DE', 'de-AT', 'pt-BR'];

interface Item {
  readonly id: number;
  readonly title: string;
  readonly category: string;
  readonly language: string;
  readonly tags: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
  readonly visible: number;
  readonly visibility: 'public' | 'members';
}

for (const engine of PLACES)
  describe(`Finding content on ${engine.name}`, () => {
    it('A list agrees with a plain model in every order, with tags, categories, languages and ranges of time, for each reader', async (t) => {
      const { url, place, author, token } = await start(t, engine.newPlace);
      const random = randomFrom(t);
      const items = await insertItems(place, author, random);
      for (let each = 0; each < LISTS; each++) {
        const query = randomQuery(random, ORDERS[each % ORDERS.length] ?? 'id');
        const isStranger = each % 2 === 0;
        const seen = items.filter(({ visibility }) => !isStranger || visibility === 'public');
        const expected = listed(seen, query).map(({ id }) => id);
        const pages = [1, 2, Math.max(1, Math.ceil(expected.length / 100)), 40];
        for (const page of pages) {
          query.set('page', String(page));
          const path = `/api/content?per_page=100&${query}`;
          const { status, body } = await call(url, 'GET', path, isStranger ? {} : { token });
          assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
          const ids = body.data.items.map((item: { id: number }) => item.id);
          assert.equal(body.data.total, expected.length, `${query}`);
          assert.deepEqual(ids, expected.slice((page - 1) * 100, page * 100), `${query}`);
        }
      }
    });
  });

onEveryEngine('The orders of content', (engine) => {
  it('A sorted list follows creations and changes at once, and shows whole items', async (t) => {
    const { url, passTime } = await startService(t, engine);
    const { token } = await newAccount(url);
    const make = async (title: string, members: object = {}) => {
      passTime(1_000);
      return newItem(url, token, { title, ...members });
    };
    const [b, a, c] = [await make('b', { tags: ['x'] }), await make('A', { tags: ['x'] }), await make('c')];
    const ids = async (query: string) => {
      const { body } = await call(url, 'GET', `/api/content?${query}`);
      return body.data.items.map(({ id }: { id: number }) => id);
    };
    passTime(1_000);
    const change = { token, body: { content: 'changed' } };
    const { body } = await call(url, 'PUT', `/api/content/${b.id}`, change);
    const { body: list } = await call(url, 'GET', '/api/content?sort=changed');
    assert.deepEqual(list.data, { items: [body.data, c, a], total: 3, page: 1, per_page: 20 });
    assert.deepEqual(await ids('sort=newest'), [c.id, a.id, b.id]);
    assert.deepEqual(await ids('sort=oldest'), [b.id, a.id, c.id]);
    assert.deepEqual(await ids('sort=title'), [a.id, b.id, c.id]);
    assert.deepEqual(await ids('sort=title&tag=x'), [a.id, b.id]);
    assert.deepEqual(await ids('sort=title&keyword=changed'), [b.id]);
    assert.deepEqual(await ids(`updated_from=${body.data.updated_at}`), [b.id]);
    assert.deepEqual(await ids(`created_before=${a.created_at}`), [b.id]);
    assert.deepEqual(await ids(`sort=newest&created_from=${a.created_at}`), [c.id, a.id]);
    await call(url, 'DELETE', `/api/content/${c.id}`, { token });
    assert.deepEqual(await ids('sort=newest'), [a.id, b.id]);
  });
});

onOneEngine('The queries of content', (engine) => {
  it('The links of a list keep each of its repeated tags', async (t) => {
    const { url } = await startService(t, engine);
    const { headers } = await call(url, 'GET', '/api/content?tag=a%26&tag=b&any_tag=c&sort=title');
    assert.ok(headers.get('link')?.includes('?tag=a%26&tag=b&any_tag=c&sort=title&per_page=20&page=1>'));
  });

  it('A list refuses an unknown order, a ninth tag, a wrong time, and a sorted page beyond item 10,000', async (t) => {
    const { url } = await startService(t, engine);
    const refused = {
      sort: 'sort=size',
      tag: Array.from({ length: 9 }, (_, each) => `tag=${each}`).join('&'),
      any_tag: Array.from({ length: 9 }, (_, each) => `any_tag=${each}`).join('&'),
      created_from: 'created_from=yesterday',
      updated_before: 'updated_before=2030-02-31T00:00:00Z',
      page: 'sort=title&per_page=100&page=101',
    };
    for (const [field, query] of Object.entries(refused)) {
      const { status, body } = await call(url, 'GET', `/api/content?${query}`);
      assert.deepEqual([status, body.data.error], [400, 'validation_failed'], query);
      assert.equal(body.data.fields[0].field, field);
    }
    assert.equal((await call(url, 'GET', '/api/content?sort=title&per_page=100&page=100')).status, 200);
    assert.equal((await call(url, 'GET', '/api/content?per_page=100&page=101')).status, 200);
  });
});

for (const engine of PLACES)
  it(`A sorted or filtered list ends at item 10,000, with any size of its pages, and so do its links, on ${engine.name}`, async (t) => {
    const { url, place, author } = await start(t, engine.newPlace);
    await place.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
      INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
      SELECT ${author}, 'T', 'c', '', '[]', 1, i, i FROM n`);
    const get = (path: string) => call(url, 'GET', path);
    const followed = new Set<string>();
    for (const filter of ['sort=oldest', `author=${author}`])
      for (const [size, last, items] of [
        [30, 334, 10],
        [100, 100, 100],
        [60, 167, 40],
      ]) {
        const list = `/api/content?${filter}&per_page=${size}&page=`;
        for (const page of [1, Number(last) - 1, Number(last)]) {
          const { status, headers, body } = await get(`${list}${page}`);
          assert.deepEqual([status, body.data.total], [200, 10_050], `${list}${page}`);
          assert.equal(body.data.items.length, page === last ? items : size, `${list}${page}`);
          const links = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
          const rels = links.map(([, , rel]) => rel);
          assert.deepEqual([rels.includes('last'), rels.includes('next')], [true, page !== last]);
          for (const [, link = ''] of links) {
            if (followed.has(link)) continue;
            followed.add(link);
            assert.equal((await get(link)).status, 200, link);
          }
        }
        assert.equal((await get(`${list}${Number(last) + 1}`)).status, 400);
      }
    const plain = await get('/api/content?per_page=100&page=101');
    assert.equal(plain.body.data.items.length, 50);
    assert.match(plain.headers.get('link') ?? '', /page=101>; rel="last"/);
  });

async function start(t: TestContext, newPlace: (t: TestContext) => Promise<Place>) {
  const place = await newPlace(t);
  const settings = async () => ({ DATABASE_URL: place.url });
  const { url } = await startService(t, { name: '', settings });
  const { id: author, token } = await newAccount(url);
  return { url, place, author, token };
}

/** Few different times and titles, so that many items are alike in what they are sorted by. */
async function insertItems(place: Place, author: number, random: () => number): Promise<Item[]> {
  const pick = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? '';
  const time = () => Math.floor(random() * 50) * 1_000;
  const items = Array.from({ length: ITEMS }, (_, index): Item => {
    const tags = TAGS.filter((_tag, at) => random() < (SHARES[at] ?? 0));
    const times = { created_at: time(), updated_at: time() };
    const [title, category, language] = [`${pick(TITLES)}${pick(TITLES)}`, pick(CATEGORIES), pick(LANGUAGES)];
    const visibility = random() < 0.1 ? 'members' : 'public';
    return {
      id: index + 1,
      title,
      category,
      language,
      tags,
      ...times,
      visible: random() < 0.1 ? 0 : 1,
      visibility,
    };
  });
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  for (let at = 0; at < ITEMS; at += 500) {
    const rows = items.slice(at, at + 500).map(
      ({ title, category, language, tags, created_at, updated_at, visible, visibility }) =>
        `(${author}, ${text(title)}, 'c', ${text(category)}, ${text(JSON.stringify(tags))}, 1,
          ${created_at}, ${updated_at}, ${visible}, ${text(visibility)}, ${text(language)})`,
    );
    await place.sql(`INSERT INTO content
      (author_id, title, content, category, tags, version, created_at, updated_at, visible, visibility, language)
      VALUES ${rows.join(', ')}`);
  }
  // As the service does soon (store/postgres/statistics.ts).
  if (place.url.startsWith('postgres:')) await place.sql('ANALYZE');
  return items;
}

function randomQuery(random: () => number, sort: string): URLSearchParams {
  const query = new URLSearchParams(sort === 'id' ? {} : { sort });
  const maybe = (name: string, value: () => string) => {
    if (random() < 0.25) query.append(name, value());
  };
  const pick = (values: readonly string[]) => () => values[Math.floor(random() * values.length)] ?? '';
  const time = () => new Date(Math.floor(random() * 50) * 1_000).toISOString();
  for (const name of ['tag', 'tag', 'any_tag', 'any_tag']) maybe(name, pick(TAGS));
  maybe('category', pick(CATEGORIES));
  maybe('language', pick(LANGUAGES));
  for (const name of ['created_from', 'created_before', 'updated_from', 'updated_before']) maybe(name, time);
  return query;
}

function listed(items: readonly Item[], query: URLSearchParams): Item[] {
  const time = (name: string, otherwise: number) => {
    const text = query.get(name);
    return text === null ? otherwise : Date.parse(text);
  };
  const [tags, anyTags] = [query.getAll('tag'), query.getAll('any_tag')];
  const [category, language] = [query.get('category'), query.get('language')];
  const found = items.filter(
    (item) =>
      item.visible === 1 &&
      tags.every((tag) => item.tags.includes(tag)) &&
      (anyTags.length === 0 || anyTags.some((tag) => item.tags.includes(tag))) &&
      (!category || item.category === category) &&
      (!language || item.language.toLowerCase() === language.toLowerCase()) &&
      item.created_at >= time('created_from', 0) &&
      item.created_at < time('created_before', Number.POSITIVE_INFINITY) &&
      item.updated_at >= time('updated_from', 0) &&
      item.updated_at < time('updated_before', Number.POSITIVE_INFINITY),
  );
  const key = ({ title }: Item) => Buffer.from(title.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()));
  const orders: Record<string, (one: Item, other: Item) => number> = {
    newest: (one, other) => other.created_at - one.created_at || other.id - one.id,
    oldest: (one, other) => one.created_at - other.created_at,
    changed: (one, other) => other.updated_at - one.updated_at || other.id - one.id,
    title: (one, other) => key(one).compare(key(other)),
  };
  return found.sort((one, other) => orders[query.get('sort') ?? '']?.(one, other) || one.id - other.id);
}
