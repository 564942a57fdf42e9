import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { updateContent } from '../../src/content/update.ts';
import { termsOf, wordsOf } from '../../src/domain/words.ts';
import { listContent } from '../../src/lists/list.ts';
import { indexQueuedContent } from '../../src/search/index-words.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { randomFrom } from '../support/seed.ts';
import { startService } from '../support/service.ts';
import { newCaller, openTestStore } from '../support/store.ts';
import { standsIn } from '../support/words.ts';

const ITEMS = 150;
const SEARCHES = 30;
const WORDS = ['ada', 'bee', 'adams', 'cat', '東京', '京都'];

interface Item {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly category: string;
}

onEveryEngine('Searching by relevance', (engine) => {
  it('The order of relevance agrees with a plain model on every page, with filters and after changes', async (t) => {
    const random = randomFrom(t);
    const pick = (of: readonly string[]) => of[Math.floor(random() * of.length)] ?? '';
    const some = (most: number) =>
      Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(WORDS));
    const store = await openTestStore(t, engine);
    const caller = await newCaller(store);
    const texts = () => ({ title: ['-', ...some(4)].join(' '), content: some(3).join(' ') });
    const items: Item[] = [];
    for (let each = 0; each < ITEMS; each++) {
      const item = { ...texts(), category: pick(['', 'news']) };
      const { id } = await store.write(createContent, { ...BARE_ITEM, ...item, ...caller, now: 0 });
      items.push({ ...item, id });
    }
    for (let index = 0; index < ITEMS; index += 5) {
      const columns = texts();
      const { id } = items[index] ?? assert.fail();
      await store.write(updateContent, { id, caller, columns, now: 1 });
      items[index] = { ...(items[index] ?? assert.fail()), ...columns };
    }
    while (await store.write(indexQueuedContent, null));
    for (let each = 0; each < SEARCHES; each++) {
      const words = [pick(WORDS), ...some(2)];
      const keyword = random() < 0.2 ? `"${words.join(' ')}"` : words.join(' ');
      const query = { keyword, category: pick(['', '', 'news']), sort: 'relevance' as const };
      const expected = inOrder(items, words, query);
      for (let page = 1; page <= Math.ceil(expected.length / 11) + 1; page++) {
        const found = await store.read(listContent, { ...query, page, per_page: 11 });
        assert.equal(found.total, expected.length, keyword);
        assert.deepEqual(
          found.items.map(({ id }) => id),
          expected.slice((page - 1) * 11, page * 11),
          `page ${page} of ${JSON.stringify(query)}`,
        );
      }
    }
  });

  it('An order by relevance and highlights without a keyword are refused, and both come with chosen members', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const text = await newItem(url, token, { title: 'other', content: `${'x '.repeat(40_000)} word` });
    const cut = await newItem(url, token, { title: 'a <b>word', content: `word ${'x '.repeat(150_000)}` });
    const get = (query: string) => call(url, 'GET', `/api/content?${query}`);
    for (const query of [
      'sort=relevance',
      'sort=relevance&keyword=',
      'highlights=true',
      'highlights=1&keyword=a',
    ]) {
      const { status, body } = await get(query);
      assert.deepEqual([status, body.data.error], [400, 'validation_failed'], query);
    }
    const asked = 'keyword=word&sort=relevance';
    const { body } = await get(`${asked}&highlights=true&fields=id,title`);
    assert.deepEqual(body.data.items, [
      { id: cut.id, title: cut.title, highlights: { title: [[5, 9]] } },
      { id: text.id, title: text.title, highlights: { title: [] } },
    ]);
    // Once without and once with highlights, whatever was cached before.
    const whole = await get(asked);
    const lit = await get(`${asked}&highlights=true`);
    const [first, second] = lit.body.data.items;
    assert.deepEqual(first.highlights, { title: [[5, 9]], content: [[0, 4]] });
    assert.deepEqual([first.content_truncated, [...first.content].length], [true, 1_000]);
    assert.deepEqual(second.highlights, { title: [], content: [] });
    for (const item of lit.body.data.items) delete item.highlights;
    assert.deepEqual(lit.body.data, whole.body.data);
    assert.deepEqual((await get(asked)).body, whole.body);
    const alone = await get('keyword=word&per_page=1&page=1&highlights=true');
    const [{ content, highlights }] = alone.body.data.items;
    assert.deepEqual(highlights.content, [[80_001, 80_005]]);
    assert.equal(content.length, text.content.length);
    const again = await call(url, 'GET', `/api/content?${asked}&highlights=true`, {
      headers: { 'if-none-match': lit.headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
  });
});

/** The ids of the items that match, the best first. */
function inOrder(
  items: readonly Item[],
  words: readonly string[],
  query: { keyword: string; category: string },
) {
  const terms = termsOf(query.keyword);
  // Of a quoted keyword no word is open, and pairs of characters are never open at the end.
  const isPrefix = terms.at(-1)?.isPrefix ?? false;
  const phrase = wordsOf(words.join(' '));
  const isUnspaced = /\p{sc=Han}/u.test(words.at(-1) ?? '');
  const inARow = { words: isUnspaced ? phrase.slice(0, -1) : phrase, isPrefix };
  const hasAll = (text: string) => terms.every((term) => standsIn(wordsOf(text), term));
  const groupOf = ({ title }: Item) => (standsIn(wordsOf(title), inARow) ? 0 : hasAll(title) ? 1 : 2);
  return items
    .filter(({ category }) => query.category === '' || category === query.category)
    .filter(({ title, content }) => {
      // No phrase spans the title and the text.
      const each = [wordsOf(title), wordsOf(content)];
      return terms.every((term) => each.some((text) => standsIn(text, term)));
    })
    .toSorted((one, other) => groupOf(one) - groupOf(other) || other.id - one.id)
    .map(({ id }) => id);
}
