import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { it } from 'node:test';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { countSitemaps, sitemap, sitemapIndex } from '../../src/feeds/sitemap.ts';
import { nameItems } from '../../src/slugs/name-items.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine, onOneEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';
import { describeInTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

const PUBLIC_URL = 'https://api.example.org';
const SETTINGS = { PUBLIC_URL, CONTENT_URL: 'https://example.org/posts/{id}?from=feed&x=1' };
const PATHS = ['/api/feeds/atom', '/api/feeds/json', '/api/feeds/sitemap', '/api/feeds/sitemap/1'];

/** What XML 1.0 cannot have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: Element[];
}

/** Parses XML, and fails where it is not well-formed. */
function parse(xml: string): Element {
  const open: Element[] = [{ name: '', attributes: {}, text: '', children: [] }];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    const element = { name, attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  const [root] = open[0]?.children ?? [];
  assert.ok(root);
  return root;
}

function all({ children }: Element, name: string): Element[] {
  return children.filter((each) => each.name === name);
}

function textIn(element: Element, name: string): string | undefined {
  return all(element, name)[0]?.text;
}

async function get(url: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The entry of an item, while others add more. */
async function entryOf(url: string, id: number) {
  const { text } = await get(url, '/api/feeds/atom');
  return entriesOf(text).find(({ link }) => link?.includes(`/posts/${id}?`));
}

function entriesOf(atom: string) {
  return all(parse(atom), 'entry').map((entry) => ({
    title: textIn(entry, 'title'),
    link: all(entry, 'link')[0]?.attributes.href,
    tags: all(entry, 'category').map(({ attributes }) => attributes.term),
    summary: textIn(entry, 'summary'),
  }));
}

onEveryEngine('Feeds', (engine) => {
  it('Both feeds have the newest 50 items with their pages, and the sitemap has all', async (t) => {
    const { url, passTime } = await startService(t, engine, SETTINGS);
    const { token, username } = await newAccount(url);
    const members = { content: 'A text', category: 'notes', tags: ['a & b', 'notes'], language: 'pt-BR' };
    const operations = Array.from({ length: 52 }, (_, index) => ({
      action: 'create',
      item: { title: `Item ${index + 1}`, ...members },
    }));
    const made = await call(url, 'POST', '/api/content/bulk', { token, body: { operations } });
    const ids: number[] = made.body.data.results.map(({ id }: { id: number }) => id);
    const newest = ids.slice(2).reverse();
    passTime(1_000);
    const body = { content: 'Other content.' };
    const changed = (await call(url, 'PUT', `/api/content/${newest[0]}`, { token, body })).body.data;
    const page = (id: number) => `https://example.org/posts/${id}?from=feed&x=1`;

    const atom = await get(url, '/api/feeds/atom');
    assert.equal(atom.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const feed = parse(atom.text);
    assert.equal(feed.attributes.xmlns, 'http://www.w3.org/2005/Atom');
    assert.deepEqual(
      entriesOf(atom.text).map(({ link }) => link),
      newest.map(page),
    );
    const [entry] = all(feed, 'entry');
    assert.ok(entry);
    assert.equal(textIn(entry, 'id'), `${PUBLIC_URL}/api/content/${newest[0]}`);
    assert.equal(entry.attributes['xml:lang'], 'pt-BR');
    assert.equal(textIn(all(entry, 'author')[0] ?? entry, 'name'), username);
    assert.deepEqual(entriesOf(atom.text)[0]?.tags, ['notes', 'a & b']);
    assert.equal(textIn(feed, 'updated'), textIn(entry, 'updated'));

    const json = await get(url, '/api/feeds/json');
    assert.equal(json.headers.get('content-type'), 'application/feed+json; charset=utf-8');
    const { version, title, home_page_url, feed_url, items } = JSON.parse(json.text);
    assert.deepEqual(
      [version, title, home_page_url, feed_url],
      [
        'https://jsonfeed.org/version/1.1',
        'example.org',
        'https://example.org/',
        `${PUBLIC_URL}/api/feeds/json`,
      ],
    );
    const { date_published, date_modified, ...first } = items[0];
    assert.deepEqual(first, {
      id: `${PUBLIC_URL}/api/content/${newest[0]}`,
      url: page(newest[0] ?? 0),
      title: 'Item 52',
      content_text: 'Other content.',
      authors: [{ name: username }],
      tags: ['notes', 'a & b'],
      language: 'pt-BR',
    });
    assert.deepEqual([date_published, date_modified], [changed.created_at, changed.updated_at]);
    assert.notEqual(date_published, date_modified);
    assert.equal(items.length, 50);

    const map = parse((await get(url, '/api/feeds/sitemap')).text);
    assert.equal(map.name, 'urlset');
    assert.deepEqual(
      all(map, 'url').map((each) => textIn(each, 'loc')),
      ids.map(page),
    );
    assert.equal((await get(url, '/api/feeds/sitemap/1')).text, (await get(url, '/api/feeds/sitemap')).text);
    assert.equal((await get(url, '/api/feeds/sitemap/2')).status, 404);
  });

  describeInTurn(
    engine,
    'Feeds of one service',
    (service) => {
      it('Each feed answers 304 until something changes, and may be kept by anybody for five minutes', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const { id } = await newItem(url, token);
        for (const path of PATHS) {
          let [first, again] = [await get(url, path), await get(url, path)];
          const tagOf = ({ headers }: typeof first) => headers.get('etag') ?? '';
          const known = () => ({ 'if-none-match': `"other", ${tagOf(first)}` });
          // A sitemap follows the numbers of changes, which a job gives a moment later on PostgreSQL.
          do {
            first = await get(url, path);
            again = await get(url, path, known());
          } while (again.status === 200 && tagOf(again) !== tagOf(first));
          assert.deepEqual([again.status, again.text, tagOf(again)], [304, '', tagOf(first)]);
          assert.equal(first.headers.get('cache-control'), 'public, max-age=300');
          await call(url, 'PUT', `/api/content/${id}`, { token, body: { title: `For ${path}` } });
          while ((await get(url, path, known())).status === 304);
        }
      });

      it('A sitemap is another one after an older item gets its slug, and after an older database comes as far', async (t) => {
        const { url, sql, beforeOperations } = service();
        const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
        t.after(() => over());
        beforeOperations((operation) => (operation === nameItems.name ? isOver : undefined));
        const { id } = await newItem(url, (await newAccount(url)).token);
        const waiting = () => sql('SELECT place FROM unnumbered_changes');
        await until(async () => (await waiting()).length === 0, 'all changes have their numbers');
        const seen = new Set<string | null>();
        for (const statement of [
          `UPDATE content SET slug = NULL WHERE id = ${id}`,
          `UPDATE content SET slug = 'by-the-job' WHERE id = ${id}`,
          'UPDATE changes SET at = at + 1',
        ]) {
          await sql(statement);
          for (const path of PATHS.slice(2)) seen.add((await get(url, path)).headers.get('etag'));
        }
        assert.equal(seen.size, 6);
      });

      it('A feed reader that sends a condition which cannot be read gets the whole feed', async () => {
        const { url } = service();
        for (const path of PATHS)
          for (const odd of ['abc', ''])
            assert.equal((await get(url, path, { 'if-none-match': odd })).status, 200, `${path} ${odd}`);
      });

      it('A feed of any characters is well-formed, and has all of them that XML can have', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCodePoint(code + 1)).join(
          '',
        );
        const title = `]]>&lt;"'<b>\u0001\ufffe\u2028😀 \u0085`;
        const content = `${characters}\r\n\ufffe\uffff<![CDATA[ &amp; ]]>`;
        const { id } = await newItem(url, token, { title, content });
        const entry = await entryOf(url, id);
        assert.equal(entry?.title, title.replace(FORBIDDEN, '\ufffd'));
        assert.equal(entry?.summary, content.replace(FORBIDDEN, '\ufffd'));
        const { items } = JSON.parse((await get(url, '/api/feeds/json')).text);
        const own = items.find((each: { url: string }) => each.url.includes(`/posts/${id}?`));
        assert.deepEqual([own.title, own.content_text], [title, content]);
      });

      it('A long text is in a feed by its first thousand characters', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        for (const length of [1_001, 100_000]) {
          const { id } = await newItem(url, token, { content: '😀'.repeat(length) });
          assert.equal((await entryOf(url, id))?.summary, `${'😀'.repeat(1_000)}…`);
        }
      });

      it('What is deleted is in no feed, whoever asks', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const { id } = await newItem(url, token);
        const page = `https://example.org/posts/${id}`;
        const read = () =>
          Promise.all(
            PATHS.map(async (path) => (await get(url, path, { authorization: `Bearer ${token}` })).text),
          );
        for (const text of await read()) assert.ok(text.includes(page));
        await call(url, 'DELETE', `/api/content/${id}`, { token });
        for (const text of await read()) assert.ok(!text.includes(page));
      });

      it('Drafts and items for members only are in no feed and in no sitemap, whoever asks', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const made = async (members: object) => (await newItem(url, token, members)).id;
        const hidden = [await made({ visibility: 'members' }), await made({ status: 'draft' })];
        const shown = await made({});
        for (const headers of [{}, { authorization: `Bearer ${token}` }])
          for (const path of PATHS) {
            const { text } = await get(url, path, headers);
            const isIn = [shown, ...hidden].map((id) => text.includes(`/posts/${id}?`));
            assert.deepEqual(isIn, [true, false, false], path);
          }
      });
    },
    SETTINGS,
  );

  it('Beyond the most that one sitemap may have, an index names several, which have all items', async (t) => {
    const { url, store } = await startService(t, engine);
    const { token } = await newAccount(url);
    const pages: string[] = [];
    const named: string[] = [];
    for (let each = 0; each < 7; each++) {
      const { id, slug } = await newItem(url, token);
      pages.push(`https://example.org/posts/${id}?from=feed&x=1`);
      named.push(`https://example.org/${slug}`);
    }
    const size = { most: 4, read: 2 };
    const addresses = { publicUrl: PUBLIC_URL, contentUrl: SETTINGS.CONTENT_URL };
    assert.equal(await countSitemaps(store, size), 2);
    const index = parse(sitemapIndex(2, addresses));
    assert.equal(index.name, 'sitemapindex');
    const locations = all(index, 'sitemap').map((each) => textIn(each, 'loc'));
    assert.deepEqual(locations, [`${PUBLIC_URL}/api/feeds/sitemap/1`, `${PUBLIC_URL}/api/feeds/sitemap/2`]);
    const listed = async (contentUrl: string) => {
      const found: (string | undefined)[] = [];
      for (const number of [1, 2]) {
        const xml = await textOf(sitemap(store, number, { ...addresses, contentUrl }, async () => {}, size));
        found.push(...all(parse(xml), 'url').map((each) => textIn(each, 'loc')));
      }
      return found;
    };
    assert.deepEqual(await listed(SETTINGS.CONTENT_URL), pages);
    assert.deepEqual(await listed('https://example.org/{slug}'), named, 'a page may be named by its slug');
  });
});

// What settings decide, which is the same on every engine.
onOneEngine('Settings of feeds', (engine) => {
  it('A feed is another one after its addresses are set anew', async (t) => {
    const shared = await sameDatabase(t, engine);
    const tagsOf = async (settings: Record<string, string>) => {
      const { url } = await startService(t, shared, { ...SETTINGS, ...settings });
      return Promise.all(PATHS.map(async (path) => (await get(url, path)).headers.get('etag')));
    };
    const before = await tagsOf({});
    for (const settings of [
      { PUBLIC_URL: 'https://b.example.org' },
      { CONTENT_URL: 'https://b.example.org/{id}' },
    ]) {
      const after = await tagsOf(settings);
      for (const [index, tag] of after.entries()) assert.notEqual(tag, before[index], PATHS[index] ?? '');
    }
  });

  it('There are no feeds where only members read content, and none without the address of a page', async (t) => {
    const closed = await startService(t, engine, { ...SETTINGS, CONTENT_READ: 'members' });
    const { token } = await newAccount(closed.url);
    const unset = await startService(t, engine, { PUBLIC_URL });
    for (const path of PATHS) {
      assertFailure(await call(closed.url, 'GET', path, { token, undocumented: true }), 404, 'not_found');
      assertFailure(await call(unset.url, 'GET', path, { undocumented: true }), 404, 'not_found');
    }
  });
});
