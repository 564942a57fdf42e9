import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { foldKey } from '../../src/domain/text.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';
import { NAME_CHARACTERS, RandomTexts } from '../support/unicode.ts';

const SEED = 7;
const USERS = 150;
const SEARCHES = 300;

interface User {
  readonly username: string;
  readonly email: string;
}

onEveryEngine('Searching users', (engine) => {
  it('A search for users finds exactly those whose folded name or address contains the folded keyword', async (t) => {
    const { url, store } = await startService(t, engine);
    const { username, email, token } = await newAccount(url);
    const texts = new RandomTexts(SEED);
    const users: User[] = [{ username, email }, ...(await register(store, texts))];
    let matched = 0;
    for (let search = 0; search < SEARCHES; search++) {
      const { username: name, email: address } = texts.pick(users);
      const keyword = texts.pick([
        () => texts.part(name, 1, 5),
        () => texts.part(address, 1, 6),
        () => texts.text([...NAME_CHARACTERS, '%', '*', '"', '\\', '@'], 1, 4),
      ])();
      const key = foldKey(keyword);
      const expected = users.filter(
        (user) => foldKey(user.username).includes(key) || foldKey(user.email).includes(key),
      );
      const query = `page=1&per_page=100&keyword=${encodeURIComponent(keyword)}`;
      const { body } = await call(url, 'GET', `/api/users?${query}`, { token });
      const found = body.data.items.map((user: User) => user.username);
      const names = expected.map((user) => user.username);
      assert.equal(body.data.total, expected.length, `total for ${JSON.stringify(keyword)}`);
      assert.deepEqual(found, names.slice(0, 100), JSON.stringify(keyword));
      matched += expected.length;
    }
    assert.ok(matched > SEARCHES, 'the searches find something');
  });
});

/** Straight through the operation that registering ends in, without the password hash. */
async function register(store: Store, texts: RandomTexts): Promise<User[]> {
  const users: User[] = [];
  const taken = new Set<string>();
  while (users.length < USERS) {
    const username = texts.text(NAME_CHARACTERS, 3, 10).normalize('NFC');
    const email = `${texts.text([...NAME_CHARACTERS, '%', '*', "'"], 1, 6).normalize('NFC')}${users.length}@b.example`;
    if (taken.has(foldKey(username))) continue;
    taken.add(foldKey(username));
    await store.write(createAccount, { ...ADA, username, email });
    users.push({ username, email });
  }
  return users;
}
