import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listUsers } from '../../src/accounts/list.ts';
import { onEveryEngine } from '../support/engines.ts';
import { insertAccounts } from '../support/operations.ts';
import { randomFrom } from '../support/seed.ts';
import { openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

const ACCOUNTS = 12_000;
const PARTS = ['an', 'na', 'ann', 'mail', 'ma', 'il', 'ex', 'q', 'x', 'aa', '.', '-', '_'];

/** Every trigram is in very many rows, so that an engine has to choose by which it looks a keyword up. */
onEveryEngine('A search among many rows with the same trigrams', (engine) => {
  it('A search among many rows with the same trigrams finds exactly the matches, on every page', async (t) => {
    const random = randomFrom(t);
    const pick = pickWith(random);
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
      username: `${pick(PARTS)}${pick(PARTS)}${pick(PARTS)}${index}`,
      email: `${pick(PARTS)}${pick(PARTS)}${index}@mail.example`,
    }));
    await store.write(insertAccounts, accounts);
    const keywords = accounts
      .slice(0, 25)
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
