import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import Fastify from 'fastify';
import type { ListedRow } from '../../src/content/contract.ts';
import { CONTENT_FIELDS } from '../../src/content/fields.ts';
import { shareNamedSchemas } from '../../src/http/components.ts';
import { answers } from '../../src/http/envelope.ts';
import { ContentPage } from '../../src/lists/contract.ts';
import { keyOf, ListedJsonCache } from '../../src/lists/listed-json.ts';
import { columnsOfNew } from '../../src/store/fields.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { observed } from '../support/observed.ts';
import { PLACES, type Place } from '../support/place.ts';
import { startService } from '../support/service.ts';

const newRow = columnsOfNew(CONTENT_FIELDS, 'author');
/** What JSON escapes, and characters of two, three and four bytes. */
const DEAR = '"\\/\u0001\b\f\n\r\t\u007f\u2028é字\u{1F3DB}</script>';
/** Whole on a page of 20, and cut on a page of 100. */
const LONG = 'long '.repeat(1_000);
/** Too long to be cached. */
const LONGEST = '\n'.repeat(100_000);

for (const engine of PLACES)
  describe(`The JSON of listed items on ${engine.name}`, () => {
    it('The JSON of listed items equals what the schema writes, made or cached', async (t) => {
      const { url, token } = await start(t, engine.newPlace);
      const written = writer(t);
      const same = async () => {
        for (const page of ['', '?per_page=100', '?per_page=1&page=4', '?page=2', '?tag=%22']) {
          const text = await textOf(`${url}/api/content${page}`);
          assert.equal(text, await written(text), page);
        }
      };
      await same();
      for (const content of [DEAR, LONG, 'x', LONGEST])
        await newItem(url, token, { title: DEAR, content, category: DEAR, tags: ['"', DEAR] });
      await same();
      await same();
      const [whole, cut] = [(await listed(url))[1], (await listed(url, '?per_page=100'))[1]];
      assert.deepEqual([whole?.content, whole?.content_truncated], [LONG, undefined]);
      assert.deepEqual([cut?.content, cut?.content_truncated], [LONG.slice(0, 1_000), true]);
    });

    it('The JSON of a listed item is made once, and its texts are not read again', async (t) => {
      const reads: string[] = [];
      const { url, token } = await start(t, engine.newPlace, (operation) => void reads.push(operation));
      await newItem(url, token);
      for (let round = 0; round < 3; round++) await listed(url);
      assert.equal(reads.filter((name) => name === 'content.list').length, 3);
      assert.equal(reads.filter((name) => name === 'content.read_listed').length, 1);
    });

    it('The JSON of a listed item follows every change in the database at once', async (t) => {
      const { url, place, author, token } = await start(t, engine.newPlace);
      const [other, third] = [await newAccount(url), await newAccount(url)];
      const [first, second] = [await newItem(url, token), await newItem(url, third.token)];
      const shown = async () => {
        const items = await listed(url);
        return [first, second].map(({ id }) => items.find((item) => item.id === id));
      };
      const change = async (...changes: string[]) => {
        await place.sql(...changes);
        return shown();
      };
      const set = (columns: string) => change(`UPDATE content SET ${columns} WHERE id = ${first.id}`);
      assert.deepEqual(await shown(), [first, second]);

      assert.equal((await set("version = 2, title = 'changed'"))[0]?.title, 'changed');
      // As where an older copy of the database was put in place, and the item was changed again.
      assert.equal((await set("updated_at = 1, title = 'other'"))[0]?.title, 'other');
      const rename = (id: number, name: string) => `UPDATE users SET username = '${name}' WHERE id = ${id}`;
      const [renamed] = await change(rename(author.id, 'renamed'));
      assert.deepEqual(renamed?.author, { id: author.id, username: 'renamed' });
      await place.sql(rename(author.id, 'another'), rename(other.id, 'renamed'));
      const [handedOver] = await set(`author_id = ${other.id}`);
      assert.deepEqual(handedOver?.author, { id: other.id, username: 'renamed' });
      // An item that is older than slugs gets its own without a change.
      const { slug: _, ...unnamed } = Object(handedOver);
      assert.deepEqual((await set('slug = NULL'))[0], unnamed);
      assert.deepEqual((await set(`slug = '${handedOver?.slug}'`))[0], handedOver);
      assert.deepEqual(await set('visible = 0'), [undefined, second]);
      assert.deepEqual(await set('visible = 1'), [handedOver, second]);
      assert.deepEqual(await change(`DELETE FROM content WHERE id = ${first.id}`), [undefined, second]);
    });
  });

it('The cache of listed JSON takes 16 MiB at most, and drops first what was unused the longest', () => {
  const cache = new ListedJsonCache();
  const rows = Array.from({ length: 400 }, (_, index) => rowOf(index + 1));
  const [first, second] = rows;
  assert.ok(first && second);
  for (const row of rows) {
    cache.add(row, 'x'.repeat(60 * 1024));
    cache.get(keyOf(first));
  }
  const cached = rows.filter((row) => cache.get(keyOf(row)));
  assert.ok(cached.length > 200 && cached.length < (16 * 1024) / 60, `${cached.length} are cached`);
  assert.deepEqual([cached.includes(first), cached.includes(second)], [true, false]);
});

async function start(
  t: TestContext,
  newPlace: (t: TestContext) => Promise<Place>,
  before: (operation: string) => void = () => {},
) {
  const place = await newPlace(t);
  const engine = { name: '', settings: async () => ({ DATABASE_URL: place.url }) };
  const { url } = await startService(t, engine, {}, { wrap: (store: Store) => observed(store, { before }) });
  const author = await newAccount(url);
  return { url, place, author, token: author.token };
}

/** Writes a page as the schema of the route does, in a server of its own. */
function writer(t: TestContext): (text: string) => Promise<string> {
  const app = Fastify();
  t.after(() => app.close());
  shareNamedSchemas(app);
  app.post('/', { schema: { response: answers(ContentPage, '') } }, async ({ body }) => body);
  return async (text) =>
    (await app.inject({ method: 'POST', url: '/', payload: Object(JSON.parse(text)) })).body;
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  return response.text();
}

interface Item {
  readonly id: number;
  readonly title: string;
  readonly slug?: string;
  readonly content: string;
  readonly content_truncated?: boolean;
  readonly author: object;
}

async function listed(url: string, query = ''): Promise<Item[]> {
  return (await call(url, 'GET', `/api/content${query}`)).body.data.items;
}

function rowOf(id: number): ListedRow {
  const row = newRow({ title: '', content: '' });
  return {
    id,
    ...row,
    version: 1,
    author_id: 1,
    author_name: 'ada',
    created_at: 0,
    updated_at: 0,
    is_cut: 0,
  };
}
