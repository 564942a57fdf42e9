import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { hashSync } from '@node-rs/argon2';
import { createAccount } from '../../src/accounts/create.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { readOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { describeOnService } from '../support/suite.ts';

const CURRENT = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/;

const findHash = readOperation('test.find_hash', async (db, username: string) => {
  const row = await db
    .selectFrom('users')
    .select('password_hash')
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  return row.password_hash;
});

/** The real one. */
const hashing = new HashingPool();
after(() => hashing.close());

onEveryEngine('Stored passwords', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      const hashOf = (username: string) => service().store.read(findHash, username);

      it('A password is stored as argon2id with a salt of its own', async () => {
        const [one, two] = [await newAccount(service().url), await newAccount(service().url)];
        const [first, second] = [await hashOf(one.username), await hashOf(two.username)];
        assert.match(first, CURRENT);
        assert.match(second, CURRENT);
        assert.notEqual(first.split('$')[4], second.split('$')[4], 'salts');
      });

      it('A password with older parameters is hashed again at login', async () => {
        const username = await withOldHash(service().store);
        const old = await hashOf(username);
        const wrong = { username, password: 'wrong password' };
        assertFailure(
          await call(service().url, 'POST', '/api/auth/login', { body: wrong }),
          401,
          'bad_credentials',
        );
        assert.equal(await hashOf(username), old);
        await login(service().url, username);
        const renewed = await hashOf(username);
        assert.match(renewed, CURRENT);
        await login(service().url, username);
        assert.equal(await hashOf(username), renewed, 'and not again');
      });

      it('A password is hashed again by several logins at once, and all of them succeed', async () => {
        const username = await withOldHash(service().store);
        const answers = await Promise.all(
          Array.from({ length: 8 }, () =>
            call(service().url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } }),
          ),
        );
        assert.deepEqual(
          answers.map(({ status }) => status),
          Array(8).fill(200),
        );
        assert.match(await hashOf(username), CURRENT);
      });
    },
    {},
    { hashing },
  ),
);

/** An account from a time of cheaper parameters. */
async function withOldHash(store: Store): Promise<string> {
  const username = newName();
  await store.write(createAccount, {
    username,
    email: `${username}@example.org`,
    passwordHash: hashSync(PASSWORD, { algorithm: 2, memoryCost: 4096, timeCost: 1, parallelism: 1 }),
    role: 'member',
    now: Date.now(),
    origin: null,
  });
  return username;
}
