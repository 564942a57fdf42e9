import assert from 'node:assert/strict';
import { it } from 'node:test';
import { disableAccount } from '../../src/accounts/administer.ts';
import { listEvents } from '../../src/audit/list.ts';
import { resetSecondFactors } from '../../src/factors/reset.ts';
import { changeOwnPassword } from '../../src/passwords/change.ts';
import { findAccount } from '../../src/passwords/prove.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { countMistake } from '../../src/services/limits/wrong-passwords.ts';
import { call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { foreignHash } from '../support/foreign-hashes.ts';
import { mailLink, reset } from '../support/mail.ts';
import { observed } from '../support/observed.ts';
import { importInto } from '../support/people.ts';
import { challengeOf, complete, guard, newGuarded, signInWith } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { refusedThen, signIn, startBehindProxy, statuses, WRONG } from '../support/sign-in.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const [HOME, ELSEWHERE, OTHER] = ['198.51.100.1', '203.0.113.9', '203.0.113.8'];
/** Neither digits of an app nor a recovery code of anybody. */
const NONE = 'none';

onEveryEngine('Guesses of a second factor', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('A challenge takes five wrong codes and then no right one', async () => {
        const { url } = service();
        const { username, code } = await newGuarded(url, NOW);
        const challenge = await challengeOf(url, username);
        for (let tries = 0; tries < 5; tries++)
          assertFailure(await complete(url, challenge, NONE), 401, 'code_invalid');
        assertFailure(await complete(url, challenge, code()), 401, 'challenge_invalid');
        assert.equal((await signInWith(url, username, code())).status, 200);
      });

      it('An account has ten wrong codes over all challenges, and the devices of its owner stay in', async () => {
        const { url, store } = service();
        const { id, username, code, recoveryCodes } = await newGuarded(url, NOW);
        assert.equal((await signInWith(url, username, recoveryCodes[0] ?? '', HOME)).status, 200);
        for (let tries = 0; tries < 10; tries++) {
          const from = `203.0.113.${10 + tries}`;
          assertFailure(await signInWith(url, username, NONE, from), 401, 'code_invalid');
        }
        const about = { page: 1, per_page: 100, account: id };
        const events = (await store.read(listEvents, about)).items.map(({ event }) => event);
        const count = (name: string) => events.filter((event) => event === name).length;
        assert.deepEqual([count('second_factor_failed'), count('sign_in_locked')], [10, 1]);
        const challenge = await challengeOf(url, username, ELSEWHERE);
        const refused = await complete(url, challenge, code(), ELSEWHERE);
        assertFailure(refused, 429, 'too_many_requests');
        assert.equal(refused.headers.get('retry-after'), '3600');
        assert.equal((await signInWith(url, username, code(), HOME)).status, 200);
        assert.equal(
          (await complete(url, challenge, code(1), HOME)).status,
          200,
          'what was refused cost nothing',
        );
      });

      it('A right password without its second factor leaves an event where the device is new', async () => {
        const { url, store } = service();
        const { id, username, recoveryCodes } = await newGuarded(url, NOW);
        const accepted = async () => {
          const about = { page: 1, per_page: 100, account: id, event: 'proof_accepted' } as const;
          return (await store.read(listEvents, about)).items.map(({ address }) => address);
        };
        assert.equal((await signInWith(url, username, recoveryCodes[0] ?? '', HOME)).status, 200);
        assert.deepEqual(await accepted(), [HOME]);
        await challengeOf(url, username, HOME);
        await challengeOf(url, username, ELSEWHERE);
        assert.deepEqual(await accepted(), [ELSEWHERE, HOME]);
      });

      it('A right password without its second factor makes no known device and forgives no mistake', async () => {
        const { url, store } = service();
        const { id, username, code } = await newGuarded(url, NOW);
        const wrong = () => signIn(url, username, WRONG, ELSEWHERE);
        assert.deepEqual(await statuses(9, wrong), refusedThen(9));
        const [challenge] = [
          await challengeOf(url, username, ELSEWHERE),
          await challengeOf(url, username, OTHER),
        ];
        assert.deepEqual(await statuses(2, wrong), refusedThen(1, 429));
        const full = { everyMs: 100 * MINUTE, withinMs: 100 * MINUTE };
        const charges = [{ key: keyOf('strangers', `id ${id}`), ...full }];
        assert.equal((await signInWith(url, username, code(), HOME)).status, 200);
        await store.write(countMistake, { charges, now: NOW });
        assert.equal((await signIn(url, username, PASSWORD, OTHER)).status, 429);
        assertFailure(await signIn(url, username, PASSWORD, HOME), 401, 'second_factor_required');
        assert.equal((await complete(url, challenge, code(1), ELSEWHERE)).status, 200);
      });

      it('An account has five challenges from strangers at once, which end none of its own device', async () => {
        const { url } = service();
        const { username, code, recoveryCodes } = await newGuarded(url, NOW);
        assert.equal((await signInWith(url, username, code(), HOME)).status, 200);
        const own = await challengeOf(url, username, HOME);
        const challenges = [];
        for (let each = 0; each < 6; each++) challenges.push(await challengeOf(url, username, ELSEWHERE));
        const answers = [];
        for (const [index, challenge] of challenges.entries())
          answers.push((await complete(url, challenge, recoveryCodes[index] ?? '', ELSEWHERE)).status);
        // The five that stay are told apart by their hashes alone, because the clock stands still.
        assert.deepEqual(answers.toSorted(), [200, 200, 200, 200, 200, 401]);
        assert.equal((await complete(url, own, code(1), HOME)).status, 200);
      });

      it('Disabling an account ends its challenges', async () => {
        const { url, store } = service();
        const { username, code } = await newGuarded(url, NOW);
        const challenge = await challengeOf(url, username);
        await store.write(disableAccount, { account: username, now: NOW });
        assertFailure(await complete(url, challenge, code()), 401, 'challenge_invalid');
      });

      it('A password reset by mail ends challenges and keeps the second factor', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { id, username } = account;
        assert.equal((await reset(url, await mailLink(service(), id, NOW), PASSWORD)).status, 200);
        const { code } = await guard(url, { ...account, ...(await login(url, username)) }, NOW);
        const challenge = await challengeOf(url, username);
        const password = 'a better horse battery';
        assert.equal((await reset(url, await mailLink(service(), id, NOW), password)).status, 200);
        assertFailure(await complete(url, challenge, code()), 401, 'challenge_invalid');
        const asked = await signIn(url, username, password);
        assertFailure(asked, 401, 'second_factor_required');
        assert.equal((await complete(url, asked.body.data.challenge, code())).status, 200);
      });

      it('A reset that verifies the address for the first time removes the second factor', async () => {
        const { url } = service();
        const { id, username } = await newGuarded(url, NOW);
        const password = 'a better horse battery';
        assert.equal((await reset(url, await mailLink(service(), id, NOW), password)).status, 200);
        const { status, body } = await signIn(url, username, password);
        assert.equal(status, 200, JSON.stringify(body));
      });

      it('An outdated hash is replaced by a login that waits for a second factor', async () => {
        const { url, store } = service();
        const [username, passwordHash] = [newName(), foreignHash('bcrypt')];
        await importInto(store, [{ username, passwordHash }]);
        const { token } = (await signIn(url, username)).body.data;
        const { account: found } = await store.read(findAccount, { login: username, source: HOME, now: NOW });
        assert.ok(found);
        const caller = { userId: found.id, sessionId: sessionIdOf(token) };
        const { code } = await guard(
          url,
          { id: found.id, username, email: '', token, refreshToken: '' },
          NOW,
        );
        const origin = { address: HOME, source: HOME, requestId: 'r' };
        const back = { checkedHash: found.password_hash, newHash: passwordHash, sendsMail: false };
        assert.ok(await store.write(changeOwnPassword, { caller, ...back, now: NOW, origin }));

        const challenge = await challengeOf(url, username);
        const { account } = await store.read(findAccount, { login: username, source: HOME, now: NOW });
        assert.match(account?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
        assert.equal((await complete(url, challenge, code())).status, 200);
      });
    },
    { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'log' },
    { clock: () => NOW },
  ),
);

onEveryEngine('Logins with a second factor', (engine) => {
  it('Right codes are never slowed, and wrong ones get 429 with Retry-After', async (t) => {
    const { url, passTime } = await startBehindProxy(t, engine);
    const { username, token, code, recoveryCodes } = await newGuarded(url, NOW);
    for (const each of [...recoveryCodes, code(0), code(1)])
      assert.equal((await signInWith(url, username, each, HOME)).status, 200);
    for (let tries = 0; tries < 10; tries++)
      assertFailure(await signInWith(url, username, NONE, HOME), 401, 'code_invalid');
    const challenge = await challengeOf(url, username, HOME);
    const refused = await complete(url, challenge, NONE, HOME);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '600']);
    passTime(5 * MINUTE - 1);
    assert.equal((await complete(url, challenge, NONE, HOME)).status, 429);
    passTime(1);
    assertFailure(await complete(url, challenge, NONE, HOME), 401, 'challenge_invalid');

    passTime(5 * MINUTE);
    for (const [method, path] of [
      ['POST', '/api/auth/totp'],
      ['POST', '/api/auth/recovery-codes'],
      ['DELETE', '/api/auth/totp'],
    ] as const)
      assertFailure(await call(url, method, path, { token }), 403, 'recent_sign_in_required');
    assert.equal((await signInWith(url, username, code(20), HOME)).status, 200);
  });

  it('A device that signed in before the second factor is a stranger after it, and the one that set it up is not', async (t) => {
    const { url } = await startBehindProxy(t, engine);
    const account = await newAccount(url);
    const { username } = account;
    assert.equal((await signIn(url, username, PASSWORD, ELSEWHERE)).status, 200);
    const { code } = await guard(url, account, NOW);
    for (let tries = 0; tries < 10; tries++)
      assertFailure(await signInWith(url, username, NONE, ELSEWHERE), 401, 'code_invalid');
    const refused = await signInWith(url, username, NONE, ELSEWHERE);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600']);
    assert.equal((await signInWith(url, username, code())).status, 200);
  });

  it('A login is checked against the password and factors that are stored when it completes', async (t) => {
    let meanwhile: Record<string, (() => Promise<unknown>) | undefined> = {};
    const before = (name: string) => {
      const run = meanwhile[name];
      meanwhile[name] = undefined;
      return run?.().then(() => undefined);
    };
    const differences = { wrap: (store: Parameters<typeof observed>[0]) => observed(store, { before }) };
    const { url, store } = await startService(t, engine, {}, { ...differences, clock: () => NOW });
    const account = await newAccount(url);
    const { username, token } = account;
    let code = (_?: number) => '';
    meanwhile = {
      'sign_in.start_session': async () => {
        code = (await guard(url, account, NOW)).code;
      },
    };
    assertFailure(await signIn(url, username), 401, 'second_factor_required');

    const change = (current_password: string, new_password: string) =>
      call(url, 'POST', '/api/auth/password', { token, body: { current_password, new_password } });
    meanwhile = { 'sign_in.complete_challenge': () => change(PASSWORD, 'a better horse battery') };
    assertFailure(await signInWith(url, username, code()), 401, 'challenge_invalid');
    meanwhile = { 'sign_in.open_challenge': () => change('a better horse battery', PASSWORD) };
    assertFailure(await signIn(url, username, 'a better horse battery'), 401, 'bad_credentials');
    assert.equal((await signInWith(url, username, code())).status, 200, 'the code was not used up');

    meanwhile = {
      'sign_in.open_challenge': () =>
        store.write(resetSecondFactors, { account: username, sendsMail: false, now: NOW }),
    };
    assert.equal((await signIn(url, username)).status, 200);
  });
});
