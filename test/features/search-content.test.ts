import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { foldKey } from '../../src/domain/text.ts';
import { readOperation } from '../../src/store/operation.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { type RunningService, startService } from '../support/service.ts';
import { RandomTexts, TEXT_CHARACTERS } from '../support/unicode.ts';

const SEED = 11;
const ITEMS = 120;
const SEARCHES = 120;
const AT_ONCE = 8;

interface Item {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
}

/** Only SQLite indexes later than it writes. */
const countWaiting = readOperation('test.count_waiting', async (db, _: null, { name }) => {
  if (name !== 'sqlite') return 0;
  const { count } = await db
    .selectFrom('content_unindexed')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
});

onEveryEngine('Searching content', (engine) => {
  it('agrees with a plain model at every moment: before and after indexing, changes and deletions', async (t) => {
    const service = await startService(t, engine);
    const author = await newAccount(service.url);
    const texts = new RandomTexts(SEED);
    const items: Item[] = [];

    for (let each = 0; each < ITEMS; each++)
      items.push(await newItem(service.url, author.token, membersOf(texts)));
    await compare(service, texts, items, 'just made');
    await indexed(service);
    await compare(service, texts, items, 'indexed');

    for (let index = 0; index < items.length; index += 2)
      items[index] = await change(service, author, texts, items[index]);
    await compare(service, texts, items, 'just changed');
    await indexed(service);
    await compare(service, texts, items, 'changed and indexed');

    for (let count = 0; count < ITEMS / 3; count++) {
      const [removed] = items.splice(texts.below(items.length), 1);
      await call(service.url, 'DELETE', `/api/content/${removed?.id}`, { token: author.token });
    }
    await compare(service, texts, items, 'some deleted');
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
  { token }: Account,
  texts: RandomTexts,
  item?: Item,
): Promise<Item> {
  const { title, content, tags } = membersOf(texts);
  const body = texts.pick<object>([{ title }, { content }, { tags }, { title, content }]);
  const answer = await call(url, 'PUT', `/api/content/${item?.id}`, { token, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

/** Searches by parts of the items and by random texts, with and without filters, and holds each to the model. */
async function compare({ url }: RunningService, texts: RandomTexts, items: readonly Item[], when: string) {
  let matched = 0;
  const search = async () => {
    const { title, content, category, tags } = texts.pick(items);
    const query = {
      keyword: texts.pick([
        texts.part(title, 1, 4),
        texts.part(content || title, 1, 9),
        texts.text(TEXT_CHARACTERS, 1, 3),
      ]),
      category: texts.pick(['', '', category]),
      tag: texts.pick(['', '', tags[0] ?? '']),
      per_page: '100',
    };
    const expected = items.filter((item) => matches(item, query));
    const { body } = await call(url, 'GET', `/api/content?${new URLSearchParams(query)}`);
    const what = `${when}: ${JSON.stringify(query)}`;
    assert.equal(body.data.total, expected.length, what);
    assert.deepEqual(body.data.items, expected.slice(0, 100), what);
    matched += expected.length;
  };
  for (let done = 0; done < SEARCHES; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, search));
  assert.ok(matched > SEARCHES, 'the searches find something');
}

function matches(item: Item, query: { keyword: string; category: string; tag: string }): boolean {
  const key = foldKey(query.keyword);
  return (
    (foldKey(item.title).includes(key) || foldKey(item.content).includes(key)) &&
    (query.category === '' || item.category === query.category) &&
    (query.tag === '' || item.tags.includes(query.tag))
  );
}

async function indexed({ store }: RunningService): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await store.read(countWaiting, null)) === 0) return;
    await pause(50);
  }
  assert.fail('The index is not up after 10 seconds.');
}
