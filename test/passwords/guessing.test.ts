import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listEvents } from '../../src/audit/list.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { countMistake } from '../../src/services/limits/wrong-passwords.ts';
import { SITE } from '../support/authenticator.ts';
import { type Account, call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { askToChange, follow } from '../support/email.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startFleet } from '../support/fleet.ts';
import { mailLink, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { newPasskey, requestOptions } from '../support/passkeys.ts';
import { refusedThen, signIn, startBehindProxy, statuses, WRONG } from '../support/sign-in.ts';
import { describeOnService } from '../support/suite.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);
const BEHIND_PROXY = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: SITE.origin };
const STILL = { clock: () => NOW };
const OTHER = 'a better horse battery';
const HOME = '198.51.100.1';
/** Has used up the guesses of a source. */
const CAFE = '198.51.100.2';
/** Of the documentation networks, so many as are asked for. */
const elsewhere = (index: number) => `203.0.113.${index}`;

onEveryEngine('Guesses of a password', (engine) => {
  describeOnService(
    engine,
    'while the clock stands still',
    (service) => {
      it('The eleventh guess gets 429 with Retry-After, also for a name that nobody has', async () => {
        const { url } = service();
        const { username } = await newAccount(url);
        const seen = [];
        for (const name of [username, newName()]) {
          assert.deepEqual(await statuses(10, () => signIn(url, name, WRONG, HOME)), refusedThen(10));
          const refused = await signIn(url, name, WRONG, HOME);
          assertFailure(refused, 429, 'too_many_requests');
          assert.equal(refused.headers.get('retry-after'), '60');
          seen.push(refused.body.message);
          assertFailure(await signIn(url, name, PASSWORD, HOME), 429, 'too_many_requests');
        }
        assert.equal(seen[0], seen[1]);
      });

      it('Right passwords do not use up guesses', async () => {
        const { url } = service();
        const { username } = await newAccount(url);
        assert.deepEqual(await statuses(9, () => signIn(url, username, WRONG)), refusedThen(9));
        assert.deepEqual(await statuses(12, () => signIn(url, username)), Array(12).fill(200));
        assert.deepEqual(await statuses(2, () => signIn(url, username, WRONG)), refusedThen(1, 429));
      });

      it('Guesses by name or address, in any spelling and from any address of one /64, count together', async () => {
        const { url } = service();
        const { username, email } = await newAccount(url, `fi${newName()}`);
        const spellings = [
          username,
          username.toUpperCase(),
          username.replace('fi', '\ufb01'),
          email,
          email.toUpperCase(),
        ];
        const guess = (index: number, network: string) =>
          signIn(url, spellings[index % spellings.length] ?? '', WRONG, `${network}:${index + 1}:0:0:7`);
        assert.deepEqual(await statuses(11, (index) => guess(index, '2001:db8:0:1')), refusedThen(10, 429));
        assert.deepEqual(await statuses(5, (index) => guess(index, '2001:db8:0:1')), Array(5).fill(429));
        assert.equal((await guess(0, '2001:db8:0:2')).status, 401, 'the neighbour');
        const nobody = newName();
        const others = (index: number) => signIn(url, index % 2 ? nobody : nobody.toUpperCase(), WRONG, HOME);
        assert.deepEqual(await statuses(11, others), refusedThen(10, 429));
      });

      it('A source has 300 guesses over all accounts, and its known devices are not slowed', async () => {
        const { url, store } = service();
        const [colleague, newcomer] = [await newAccount(url), await newAccount(url)];
        assert.equal((await signIn(url, colleague.username, PASSWORD, CAFE)).status, 200);
        await owe(store, keyOf('source', CAFE), 299 * 12_000);
        assert.deepEqual(await statuses(2, () => signIn(url, newName(), WRONG, CAFE)), refusedThen(1, 429));
        assert.equal((await signIn(url, newcomer.username, PASSWORD, CAFE)).status, 429);
        assert.equal((await signIn(url, newcomer.username, PASSWORD, elsewhere(1))).status, 200);
        assert.equal((await signIn(url, colleague.username, PASSWORD, CAFE)).status, 200);
      });

      it('Guesses from many sources are limited to 100 for an account, and known devices are not slowed', async () => {
        const { url, store } = service();
        const { id, username } = await newAccount(url);
        assert.equal((await signIn(url, username, PASSWORD, HOME)).status, 200);
        await owe(store, keyOf('strangers', `id ${id}`), 98 * MINUTE);
        const guess = (index: number) => signIn(url, username, WRONG, elsewhere(index));
        assert.deepEqual(await statuses(3, guess), refusedThen(2, 429));
        assert.equal((await signIn(url, username, PASSWORD, elsewhere(9))).headers.get('retry-after'), '60');
        assert.equal((await signIn(url, username, PASSWORD, HOME)).status, 200);
        assert.deepEqual(await statuses(11, () => signIn(url, username, WRONG, HOME)), refusedThen(10, 429));
      });

      it('A device that signed in by a passkey is not slowed, however many sources guess', async () => {
        const { url, store } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(url, account);
        const body = { response: authenticator.get(await requestOptions(url)) };
        const headers = { 'x-forwarded-for': HOME };
        assert.equal((await call(url, 'POST', '/api/auth/login/passkey', { body, headers })).status, 200);
        await owe(store, keyOf('strangers', `id ${account.id}`), 100 * MINUTE);
        assert.equal((await signIn(url, account.username, PASSWORD, elsewhere(1))).status, 429);
        const home = await signIn(url, account.username, PASSWORD, HOME);
        assertFailure(home, 401, 'second_factor_required');
      });

      it('A device that signed in by a passkey is known by its /64, whatever address of it comes next', async () => {
        const { url, store } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(url, account);
        const body = { response: authenticator.get(await requestOptions(url)) };
        const headers = { 'x-forwarded-for': '2001:db8::1' };
        assert.equal((await call(url, 'POST', '/api/auth/login/passkey', { body, headers })).status, 200);
        await owe(store, keyOf('strangers', `id ${account.id}`), 100 * MINUTE);
        assert.equal((await signIn(url, account.username, PASSWORD, '2001:db8:0:1::2')).status, 429);
        const home = await signIn(url, account.username, PASSWORD, '2001:db8::2');
        assertFailure(home, 401, 'second_factor_required');
      });

      it('A right password signs in 64 times at once, on a new device and on a known one', async () => {
        const { url } = service();
        const { username } = await newAccount(url);
        for (const device of ['new', 'known']) {
          const answers = await Promise.all(
            Array.from({ length: 64 }, () => signIn(url, username, PASSWORD, HOME)),
          );
          assert.deepEqual(
            answers.map(({ status }) => status),
            Array(64).fill(200),
            device,
          );
        }
      });
    },
    BEHIND_PROXY,
    STILL,
  );

  describeOnService(
    engine,
    'while the clock moves',
    (service) =>
      // One after another: each moves the clock of all.
      describe('one after another', { concurrency: false }, () => {
        it('Each guess leaves one event, and the last free guess one more', async () => {
          const { url, store, passTime } = service();
          const { id, username } = await newAccount(url);
          const eventsOf = async (event: 'sign_in_failed' | 'sign_in_locked') => {
            const { items } = await store.read(listEvents, { page: 1, per_page: 100, account: id, event });
            return items.map(({ address }) => address);
          };
          const guess = () => signIn(url, username, WRONG, HOME);
          assert.deepEqual(await statuses(9, guess), refusedThen(9));
          assert.deepEqual(await eventsOf('sign_in_locked'), []);
          assert.deepEqual(await statuses(3, guess), refusedThen(1, 429, 429));
          assert.deepEqual(await eventsOf('sign_in_locked'), [HOME]);
          assert.equal((await eventsOf('sign_in_failed')).length, 10);
          passTime(MINUTE);
          assert.deepEqual(await statuses(2, guess), refusedThen(1, 429));
          assert.deepEqual(await eventsOf('sign_in_locked'), [HOME, HOME]);
        });

        it('One more guess is free after each minute, and ten again after ten', async () => {
          const { url, passTime } = service();
          const { username } = await newAccount(url);
          const guess = () => signIn(url, username, WRONG);
          assert.deepEqual(await statuses(11, guess), refusedThen(10, 429));
          passTime(MINUTE - 1);
          assert.equal((await guess()).headers.get('retry-after'), '1');
          passTime(1);
          assert.deepEqual(await statuses(2, guess), refusedThen(1, 429));
          passTime(10 * MINUTE);
          assert.deepEqual(await statuses(11, guess), refusedThen(10, 429));
        });

        it('A guess under a clock that was ahead keeps no right password out once the clock is set back', async () => {
          const { url, passTime } = service();
          const { username } = await newAccount(url);
          for (const ahead of [HOUR, 365 * 24 * HOUR]) {
            passTime(ahead);
            assert.deepEqual(await statuses(1, () => signIn(url, username, WRONG)), refusedThen(1));
            passTime(-ahead);
            assert.deepEqual(await statuses(1, () => signIn(url, username)), [200]);
          }
          assert.deepEqual(await statuses(11, () => signIn(url, username, WRONG)), refusedThen(10, 429));
        });
      }),
    BEHIND_PROXY,
    STILL,
  );

  it('Guesses with other X-Forwarded-For headers count together where no proxy is trusted', async (t) => {
    const { url } = await startBehindProxy(t, engine, { TRUST_PROXY: 'off' });
    const { username } = await newAccount(url);
    const guess = (index: number) => signIn(url, username, WRONG, elsewhere(index));
    assert.deepEqual(await statuses(11, guess), refusedThen(10, 429));
  });

  it('A device that signed in with the old password is a stranger to the new one, and the one that chose it is not', async (t) => {
    const mails = await startMailServer(t);
    const service = await startBehindProxy(t, engine, mails.settings);
    const { url, store } = service;
    const post = (path: string, body: object, token?: string) =>
      call(url, 'POST', path, { token, body, headers: { 'x-forwarded-for': HOME } });
    const change = ({ token }: Account) =>
      post('/api/auth/password', { current_password: PASSWORD, new_password: OTHER }, token);
    const reset = async ({ id }: Account) =>
      post('/api/auth/password/reset', { token: await mailLink(service, id, NOW), new_password: OTHER });
    const takeBack = async ({ token, email }: Account) => {
      const next = `${newName()}@example.org`;
      await askToChange(url, token, next);
      await follow(url, 'confirm', tokenIn(await mails.nextTo(next), 'confirm-email'));
      return post('/api/auth/email/revert', { token: tokenIn(await mails.nextTo(email), 'revert-email') });
    };
    for (const renew of [change, reset, takeBack]) {
      const account = await newAccount(url);
      const guess = (from: string) => signIn(url, account.username, WRONG, from);
      for (const from of [HOME, elsewhere(1)])
        assert.equal((await signIn(url, account.username, PASSWORD, from)).status, 200);
      assert.equal((await renew(account)).status, 200, renew.name);
      await owe(store, keyOf('strangers', `id ${account.id}`), 100 * MINUTE);
      assert.deepEqual([(await guess(elsewhere(1))).status, (await guess(HOME)).status], [429, 401]);
    }
  });

  it('Of 200 guesses at once, ten and four more per extra instance are checked, and none after a restart', async (t) => {
    const fleet = await startFleet(t, engine);
    const { username } = await newAccount(fleet.instance(0).url);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => signIn(fleet.instance(index).url, username, WRONG)),
    );
    const hashed = answers.filter(({ status }) => status === 401).length;
    const refused = answers.filter(({ status }) => status === 429).length;
    // What is under way on one instance is not seen by another: four of each.
    const most = 10 + 4 * (fleet.size - 1);
    assert.ok(hashed >= 10 && hashed <= most, `${hashed} were hashed`);
    assert.equal(hashed + refused, 200);
    for (let index = 0; index < fleet.size; index++) {
      await fleet.restart(index);
      assert.equal((await signIn(fleet.instance(index).url, username)).status, 429);
    }
  });
});

/** As if so many mistakes had been made that it takes this long until they are forgiven. */
function owe(
  store: Awaited<ReturnType<typeof startBehindProxy>>['store'],
  key: string,
  milliseconds: number,
): Promise<void> {
  const charge = { key, everyMs: milliseconds, withinMs: milliseconds };
  return store.write(countMistake, { charges: [charge], now: NOW });
}
