import assert from 'node:assert/strict';
import { it } from 'node:test';
import { disableAccount } from '../../src/accounts/administer.ts';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { foreignHash } from '../support/foreign-hashes.ts';
import { watchHashing } from '../support/hashing-jobs.ts';
import { importInto } from '../support/people.ts';
import { startService } from '../support/service.ts';

/** What every verification costs: the parameters of the hash that it is done against. */
const FULL_COST = '$argon2id$v=19$m=19456,t=2,p=1$';

/** The jobs that this process sent to its hashing threads, by message. */
const sent = watchHashing();

onOneEngine('Failed logins', (engine) => {
  it('A failed login costs one full verification, whether its name is known, unknown or disabled', async (t) => {
    const { url, store } = await startService(t, engine);
    const [known, disabled] = [await newAccount(url), await newAccount(url)];
    await store.write(disableAccount, { account: disabled.username, now: Date.now() });
    const names = {
      'a known name': known.username,
      'a known address': known.email,
      'an unknown name': newName(),
      'an unknown address': `${newName()}@example.org`,
      'a name that nobody can have': '',
      'a disabled name': disabled.username,
      'a disabled address': disabled.email,
    };
    for (const [title, username] of Object.entries(names)) {
      const password = `wrong ${newName()}`;
      const answer = await call(url, 'POST', '/api/auth/login', { body: { username, password } });
      assertFailure(answer, 401, 'bad_credentials');
      const done = sent.flat().filter((job) => job.password === password);
      assert.deepEqual(
        done.map(({ kind, hash, beside }) => [kind, hash?.slice(0, FULL_COST.length), beside]),
        [['verify', FULL_COST, undefined]],
        title,
      );
    }
  });

  it('A failed login with an imported hash costs one full verification more, also when disabled', async (t) => {
    const { url, store } = await startService(t, engine);
    const [known, disabled] = [newName(), newName()];
    const passwordHash = foreignHash('bcrypt');
    const wanted = [
      { username: known, isDisabled: false },
      { username: disabled, isDisabled: true },
    ];
    await importInto(
      store,
      wanted.map((each) => ({ ...each, passwordHash })),
    );
    for (const [username, password] of [
      [known, 'wrong password'],
      [disabled, 'wrong password'],
      [disabled, PASSWORD],
    ] as const) {
      const before = sent.length;
      const answer = await call(url, 'POST', '/api/auth/login', { body: { username, password } });
      assertFailure(answer, 401, 'bad_credentials');
      const done = sent
        .slice(before)
        .flat()
        .filter((job) => job.hash === passwordHash);
      assert.deepEqual(
        done.map(({ kind, beside }) => [kind, beside?.slice(0, FULL_COST.length)]),
        [['verify', FULL_COST]],
      );
    }
  });
});
