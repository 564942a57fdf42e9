import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { listUsers } from '../../src/accounts/list.ts';
import { foldKey } from '../../src/domain/text.ts';
import { onEveryEngine, type TestEngine } from '../support/engines.ts';
import { randomFrom } from '../support/seed.ts';
import { newCaller, openTestStore } from '../support/store.ts';

/** Characters that mean something to LIKE, to FTS5 or to quoting, and letters that fold in odd ways. */
const ALPHABET = [
  ...`%_\\*"'()[]{}^$.?+|-:;&!~ \n\tabAB01`,
  'ß',
  'ẞ',
  'ſ',
  'İ',
  'ı',
  'Σ',
  'ς',
  'ﬁ',
  'é',
  'e\u0301',
  '日',
  '本',
  '🎉',
];

onEveryEngine('A search for users by parts of texts', (engine) => {
  it('A search finds exactly the names and addresses that contain the keyword when both are folded', async (t) => {
    const random = randomFrom(t);
    const store = await storeWithAuthor(t, engine);
    const names = Array.from({ length: 60 }, (_, index) => `${textOf(random, 10)}${index}`);
    const accounts = await Promise.all(
      names.map((username, index) =>
        store.write(createAccount, {
          username,
          email: `${textOf(random, 6)}${index}@example.org`,
          passwordHash: '',
          role: 'member',
          now: 0,
          origin: null,
        }),
      ),
    );
    for (let round = 0; round < 150; round++) {
      const keyword = partOf(random, names) || '@';
      const found = await store.read(listUsers, { keyword, page: 1, per_page: 100 });
      const expected = accounts.filter(
        ({ username, email }) =>
          foldKey(username).includes(foldKey(keyword)) || foldKey(email).includes(foldKey(keyword)),
      );
      assert.deepEqual(
        idsOf(found.items.filter(({ username }) => username !== 'author')),
        idsOf(expected),
        `for ${JSON.stringify(keyword)}`,
      );
    }
  });
});

async function storeWithAuthor(t: TestContext, engine: TestEngine) {
  const store = await openTestStore(t, engine, {
    operationsUrl: new URL('../../src/operations.ts', import.meta.url).href,
  });
  const account = {
    username: 'author',
    email: 'zz@zz.zz',
    passwordHash: '',
    role: 'member',
    now: 0,
    origin: null,
  } as const;
  await newCaller(store, account);
  return store;
}

function textOf(random: () => number, longest: number): string {
  const length = 1 + Math.floor(random() * longest);
  return Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');
}

/** One to five characters, mostly out of one of the texts. */
function partOf(random: () => number, texts: readonly string[]): string {
  const length = 1 + Math.floor(random() * 5);
  if (random() < 0.2) return textOf(random, length);
  const characters = [...(texts[Math.floor(random() * texts.length)] ?? '')];
  const start = Math.floor(random() * characters.length);
  return characters.slice(start, start + length).join('');
}

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}
