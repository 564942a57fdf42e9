import assert from 'node:assert/strict';
import { it } from 'node:test';
import { termsOf, wordsOf } from '../../src/domain/words.ts';
import { indexProgress } from '../../src/search/index-words.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { type RunningService, startService } from '../support/service.ts';
import { RandomTexts, TEXT_CHARACTERS } from '../support/unicode.ts';
import { until } from '../support/until.ts';
import { standsIn } from '../support/words.ts';

const SEED = 11;
const ITEMS = 60;
const SEARCHES = 64;
const AT_ONCE = 8;
const ANYBODY = 0;

interface Item {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly author: { readonly id: number };
}

onEveryEngine('Searching content', (engine) => {
  it('A search of content agrees with a plain model before and after indexing, changes and deletions', async (t) => {
    const service = await startService(t, engine);
    const [author, other] = [await newAccount(service.url), await newAccount(service.url)];
    const texts = new RandomTexts(SEED);
    const items: Item[] = [];

    for (let each = 0; each < ITEMS; each++)
      items.push(await newItem(service.url, texts.pick([author, other]).token, membersOf(texts)));
    await compare(service, texts, items, 'just made');
    await indexed(service);
    await compare(service, texts, items, 'indexed');

    for (let index = 0; index < items.length; index += 2)
      items[index] = await change(service, [author, other], texts, items[index]);
    await compare(service, texts, items, 'just changed');
    await indexed(service);
    await compare(service, texts, items, 'changed and indexed');

    for (let count = 0; count < ITEMS / 3; count++) {
      const [removed] = items.splice(texts.below(items.length), 1);
      await remove(service, [author, other], removed);
    }
    await compare(service, texts, items, 'some deleted');
    for (let each = 0; each < ITEMS / 3; each++) {
      const fresh = await newItem(service.url, author.token, membersOf(texts));
      if (each % 3 === 0) await remove(service, [author], fresh);
      else items.push(each % 3 === 1 ? fresh : await change(service, [author], texts, fresh));
    }
    await compare(service, texts, items, 'new ones made, changed and deleted');
  });

  it('A phrase of short words is found where they are in a row, in the title or in the text', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    for (const [title, content] of [
      ['in the to of', 'walnut'],
      ['walnut', 'is it in the to of'],
      ['in the', 'to of'],
      ['walnut', 'in the, the to, to of'],
      ['walnut', 'of to the in'],
      ['été in', 'the tow'],
    ])
      await newItem(url, token, { title, content });
    const found = async (keyword: string) => {
      const { body } = await call(url, 'GET', `/api/content?${new URLSearchParams({ keyword })}`);
      return body.data.items.map(({ id }: { id: number }) => id);
    };
    assert.deepEqual(await found('"in the to of"'), [1, 2]);
    assert.deepEqual(await found('"in the"'), [1, 2, 3, 4]);
    assert.deepEqual(await found('"in the" "to of"'), [1, 2, 3, 4]);
    assert.deepEqual(await found('"the tow'), [6]);
    assert.deepEqual(await found('"the to"'), [1, 2, 4]);
    assert.deepEqual(await found('"of to the'), [5]);
  });

  it('A phrase is found where its words stand in a row, and begins its last word only while it is open', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const titles = [
      'the long night',
      'the longest night of a long year',
      'long ago the night',
      // A word of the phrase is there, but the one in the row only ends with it.
      'the tale that bathe long',
    ];
    for (const title of titles) await newItem(url, token, { title });
    const found = async (keyword: string) => {
      const { body } = await call(url, 'GET', `/api/content?keyword=${encodeURIComponent(keyword)}`);
      return body.data.items.map(({ title }: Item) => title);
    };
    assert.deepEqual(await found('"the long"'), ['the long night']);
    assert.deepEqual(await found('"the long'), ['the long night', 'the longest night of a long year']);
    assert.deepEqual(await found('"long the'), []);
  });
});

function membersOf(texts: RandomTexts) {
  return {
    title: texts.text(TEXT_CHARACTERS, 1, 8),
    content: texts.text(TEXT_CHARACTERS, 0, 40),
    category: texts.pick(['', 'a', 'A', 'news']),
    tags: texts.pick([[], ['x'], ['X', 'y'], ['\u00e9', 'e\u0301']]),
  };
}

async function change(
  { url }: RunningService,
  authors: readonly Account[],
  texts: RandomTexts,
  item?: Item,
): Promise<Item> {
  const { title, content, category, tags } = membersOf(texts);
  const body = texts.pick<object>([{ title }, { content }, { tags }, { category }, { title, content, tags }]);
  const answer = await call(url, 'PUT', `/api/content/${item?.id}`, { token: tokenFor(item, authors), body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

async function remove({ url }: RunningService, authors: readonly Account[], item?: Item): Promise<void> {
  const answer = await call(url, 'DELETE', `/api/content/${item?.id}`, { token: tokenFor(item, authors) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

function tokenFor(item: Item | undefined, authors: readonly Account[]): string {
  return authors.find(({ id }) => id === item?.author.id)?.token ?? '';
}

/** Searches by parts of the items and by random texts, with and without filters, and holds each to the model. */
async function compare({ url }: RunningService, texts: RandomTexts, items: readonly Item[], when: string) {
  let matched = 0;
  const search = async () => {
    const { title, content, category, tags, author } = texts.pick(items);
    const query = {
      keyword: texts.pick([
        '',
        texts.part(title, 1, 4),
        texts.part(content || title, 1, 9),
        texts.text(TEXT_CHARACTERS, 1, 3),
      ]),
      category: texts.pick(['', '', category]),
      tag: texts.pick(['', '', tags[0] ?? '']),
      author: texts.pick([ANYBODY, ANYBODY, author.id]),
      per_page: '100',
    };
    const expected = items.filter((item) => matches(item, query));
    const { status, body } = await call(url, 'GET', `/api/content?${parameters(query)}`);
    const what = `${when}: ${JSON.stringify(query)}`;
    assert.equal(status, 200, `${what}: ${JSON.stringify(body)}`);
    assert.equal(body.data.total, expected.length, what);
    assert.deepEqual(body.data.items, expected.slice(0, 100), what);
    matched += expected.length;
  };
  for (let done = 0; done < SEARCHES; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, search));
  assert.ok(matched > SEARCHES, 'the searches find something');
}

interface Query {
  readonly keyword: string;
  readonly category: string;
  readonly tag: string;
  readonly author: number;
}

function parameters({ author, ...texts }: Query & { readonly per_page: string }): URLSearchParams {
  return new URLSearchParams({ ...texts, ...(author === ANYBODY ? {} : { author: String(author) }) });
}

function matches(item: Item, query: Query): boolean {
  return (
    (query.keyword === '' || hasWords(item, query.keyword)) &&
    (query.author === ANYBODY || item.author.id === query.author) &&
    (query.category === '' || item.category === query.category) &&
    (query.tag === '' || item.tags.includes(query.tag))
  );
}

/** By the same words, but with nothing of an index: each term is looked for in the list of an item's words. */
function hasWords({ title, content }: Item, keyword: string): boolean {
  const terms = termsOf(keyword);
  const texts = [wordsOf(title), wordsOf(content)];
  return terms.length > 0 && terms.every((term) => texts.some((words) => standsIn(words, term)));
}

function indexed({ store }: RunningService): Promise<void> {
  return until(async () => (await store.read(indexProgress, null)).waiting === 0, 'the index is up');
}
