import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createContent } from '../../src/content/create.ts';
import { listContent } from '../../src/content/list.ts';
import { listUsers } from '../../src/users/list.ts';
import { onEveryEngine } from '../support/engines.ts';
import { indexContent, insertAccounts } from '../support/operations.ts';
import { randomFrom } from '../support/seed.ts';
import { newCaller, openTestStore } from '../support/store.ts';

const ACCOUNTS = 12_000;
const ITEMS = 400;
const WORDS = 'the of and to in is that it was for on are ab ba aa'.split(' ');
const PARTS = ['an', 'na', 'ann', 'mail', 'ma', 'il', 'ex', 'q', 'x', 'aa', '.', '-', '_'];

/** Every trigram is in very many rows, so that an engine has to choose by which it looks a keyword up. */
onEveryEngine('A search among many rows that have the same trigrams finds exactly the matches', (engine) => {
  it('in names and e-mail addresses, on every page', async (t) => {
    const random = randomFrom(t);
    const pick = pickWith(random);
    const store = await openTestStore(t, engine);
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
      username: `${pick(PARTS)}${pick(PARTS)}${pick(PARTS)}${index}`,
      email: `${pick(PARTS)}${pick(PARTS)}${index}@mail.example`,
    }));
    await store.write(insertAccounts, accounts);
    const keywords = accounts
      .slice(0, 60)
      .flatMap(({ username, email }) => [partOf(random, email, 14), partOf(random, username, 8)]);
    const made = [
      '1@mail.example',
      '11@mail.exam',
      'example.example',
      'mailmail',
      'a.a',
      'aaaaaaa',
      'x@m',
      'xqm',
    ];
    for (const keyword of [...keywords, ...made]) {
      const expected = accounts.flatMap(({ username, email }, index) =>
        username.includes(keyword) || email.includes(keyword) ? [index + 1] : [],
      );
      const last = Math.max(1, Math.ceil(expected.length / 20));
      for (const page of [1, last, last + 1]) {
        const found = await store.read(listUsers, { keyword, page, per_page: 20 });
        assert.equal(found.total, expected.length, `total for ${JSON.stringify(keyword)}`);
        assert.deepEqual(
          found.items.map(({ id }) => id),
          expected.slice((page - 1) * 20, page * 20),
          `page ${page} for ${JSON.stringify(keyword)}`,
        );
      }
    }
  });

  it('in content, of which some is not indexed yet', async (t) => {
    const random = randomFrom(t);
    const pick = pickWith(random);
    const store = await openTestStore(t, engine);
    const caller = await newCaller(store);
    const texts: string[] = [];
    const create = async (count: number) => {
      for (let made = 0; made < count; made++) {
        const content = Array.from({ length: 1_000 }, () => pick(WORDS)).join(' ');
        texts.push(content);
        await store.write(createContent, { title: 'a', content, category: '', tags: [], caller, now: 0 });
      }
    };
    await create(ITEMS);
    while (await store.write(indexContent, null));
    await create(20);
    const keywords = texts.slice(-60).map((text) => partOf(random, text, 40));
    const made = [
      'of the of the of',
      'the the the the',
      'aa aa aa aa',
      'and the of',
      'abababab',
      'to zz to of',
    ];
    for (const keyword of [...keywords, ...made]) {
      const expected = texts.flatMap((text, index) => (text.includes(keyword) ? [index + 1] : []));
      const query = { keyword, category: '', tag: '', page: 1, per_page: 100 };
      const found = await store.read(listContent, query);
      assert.equal(found.total, expected.length, `total for ${JSON.stringify(keyword)}`);
      assert.deepEqual(
        found.items.map(({ id }) => id),
        expected.slice(0, 100),
      );
    }
  });
});

function pickWith(random: () => number) {
  return (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
}

/** Three to `longest` characters of the text. */
function partOf(random: () => number, text: string, longest: number): string {
  const length = 3 + Math.floor(random() * (longest - 2));
  const start = Math.floor(random() * Math.max(1, text.length - length));
  return text.slice(start, start + length);
}
