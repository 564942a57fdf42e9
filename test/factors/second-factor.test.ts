import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listEvents } from '../../src/audit/list.ts';
import { confirmTotp as confirmBegun, tryTotp } from '../../src/factors/totp/confirm.ts';
import { call, login, newAccount, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newPersonalToken } from '../support/people.ts';
import {
  beginTotp,
  challengeOf,
  codeOf,
  complete,
  confirmTotp,
  guard,
  newGuarded,
  STEP,
  signInWith,
} from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { signIn, WRONG } from '../support/sign-in.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

/** The clock stands still, so that each account has two codes that nobody used. */
const NOW = Date.UTC(2030, 0, 1);

const eventsOf = async ({ store }: RunningService, account: number) => {
  const { items } = await store.read(listEvents, { page: 1, per_page: 100, account });
  return items.map(({ event, detail }) => `${event} ${detail}`.replace(' {}', '')).reverse();
};

onEveryEngine('Second factors', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('A login with the right password asks for the second factor, which completes it once', async () => {
        const { url } = service();
        const { id, username, email, code } = await newGuarded(url, NOW);
        assertFailure(await signIn(url, username, WRONG), 401, 'bad_credentials');
        const asked = await signIn(url, email);
        assertFailure(asked, 401, 'second_factor_required');
        assert.equal(asked.headers.get('www-authenticate'), 'Bearer realm="stoa"');
        const { error, request_id, challenge, ...others } = asked.body.data;
        assert.deepEqual(others, { methods: ['totp', 'recovery_code'], expires_in: 300 });
        assert.match(challenge, /^stoa_sf_[\w-]{43}$/);

        const done = await complete(url, challenge, code());
        assert.equal(done.status, 200, JSON.stringify(done.body));
        const { token, refresh_token, user } = done.body.data;
        assert.deepEqual(user, { id, username });
        assert.equal((await call(url, 'GET', '/api/users/me', { token })).body.data.second_factor, true);
        assert.equal((await refresh(url, refresh_token)).status, 200);
        assertFailure(await complete(url, challenge, code(1)), 401, 'challenge_invalid');
        assertFailure(await complete(url, 'stoa_sf_', code(1)), 401, 'challenge_invalid');
      });

      it('An account without a confirmed second factor is asked for none', async () => {
        const { url } = service();
        const { username, token } = await newAccount(url);
        const me = async () => (await call(url, 'GET', '/api/users/me', { token })).body.data;
        const factors = async () => (await call(url, 'GET', '/api/auth/second-factors', { token })).body.data;
        assert.equal((await me()).second_factor, false);
        const forgotten = await beginTotp(url, token);
        const secret = await beginTotp(url, token);
        for (const code of ['000000', codeOf(forgotten, NOW), codeOf(secret, NOW + 2 * STEP), 'none'])
          assertFailure(await confirmTotp(url, token, code), 400, 'validation_failed', {
            field: 'code',
            rule: 'current',
          });
        assert.equal((await signIn(url, username)).status, 200);
        assert.deepEqual(
          [(await me()).second_factor, await factors()],
          [false, { passkeys: 0, recovery_codes_left: 0 }],
        );

        const spaced = `${codeOf(secret, NOW).slice(0, 3)} ${codeOf(secret, NOW).slice(3)}`;
        assert.equal((await confirmTotp(url, token, spaced)).status, 200);
        assert.equal((await me()).second_factor, true, 'in the session that turned it on');
        const enabled_at = new Date(NOW).toISOString();
        assert.deepEqual(await factors(), { totp: { enabled_at }, passkeys: 0, recovery_codes_left: 10 });
        assertFailure(await signInWith(url, username, codeOf(secret, NOW)), 401, 'code_invalid');
        assertFailure(await confirmTotp(url, token, codeOf(secret, NOW + STEP)), 404, 'not_found');
      });

      it('A code of an app is good for its own and its neighbouring steps, once, and not after a later one', async () => {
        const { url } = service();
        const { username, code } = await newGuarded(url, NOW);
        for (const steps of [-2, -1, 2])
          assertFailure(await signInWith(url, username, code(steps)), 401, 'code_invalid');
        assert.equal((await signInWith(url, username, code(0))).status, 200);
        assertFailure(await signInWith(url, username, code(0)), 401, 'code_invalid');
        assert.equal((await signInWith(url, username, code(1))).status, 200);
        assertFailure(await signInWith(url, username, code(1)), 401, 'code_invalid');
        const other = await newGuarded(url, NOW);
        assert.equal((await signInWith(url, other.username, other.code(1))).status, 200);
        assertFailure(await signInWith(url, other.username, other.code(0)), 401, 'code_invalid');
        assertFailure(await signInWith(url, username, other.code(0)), 401, 'code_invalid');
      });

      it('Each of ten recovery codes works once in any spelling, and each use is reported by mail', async () => {
        const { url, log } = service();
        const { username, email, token, recoveryCodes } = await newGuarded(url, NOW);
        assert.equal(new Set(recoveryCodes).size, 10);
        for (const code of recoveryCodes)
          assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
        const [first = '', second = '', third = ''] = recoveryCodes;
        assert.equal((await signInWith(url, username, first)).status, 200);
        assertFailure(await signInWith(url, username, first), 401, 'code_invalid');
        const typed = second.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
        assert.equal((await signInWith(url, username, typed)).status, 200);
        const other = await newGuarded(url, NOW);
        assertFailure(await signInWith(url, other.username, third), 401, 'code_invalid');
        const factors = await call(url, 'GET', '/api/auth/second-factors', { token });
        assert.equal(factors.body.data.recovery_codes_left, 8);
        const told = () =>
          log
            .map((line) => JSON.parse(line))
            .filter(
              ({ to, subject }) => to === email && subject === 'A recovery code of your account was used',
            )
            .map(({ text }) => /(\d+) of them are left/.exec(text)?.[1])
            .sort();
        await until(() => told().length >= 2, 'both mails are sent');
        assert.deepEqual(told(), ['8', '9']);

        const renewed = await call(url, 'POST', '/api/auth/recovery-codes', { token });
        assertFailure(await signInWith(url, username, third), 401, 'code_invalid');
        const { recovery_codes } = renewed.body.data;
        assert.equal(recovery_codes.length, 10);
        assert.equal((await signInWith(url, username, recovery_codes[0])).status, 200);
      });

      it('Recovery codes are given only with a second factor, and are deleted with the app', async () => {
        const { url } = service();
        const plain = await newAccount(url);
        const ask = (token: string) => call(url, 'POST', '/api/auth/recovery-codes', { token });
        const remove = (token: string) => call(url, 'DELETE', '/api/auth/totp', { token });
        assertFailure(await ask(plain.token), 403, 'forbidden');
        assertFailure(await remove(plain.token), 404, 'not_found');
        const { username, token, recoveryCodes } = await newGuarded(url, NOW);
        const waiting = await challengeOf(url, username);
        assert.equal((await remove(token)).status, 200);
        assertFailure(await complete(url, waiting, recoveryCodes[0] ?? ''), 401, 'challenge_invalid');
        const { body } = await call(url, 'GET', '/api/auth/second-factors', { token });
        assert.deepEqual(body.data, { passkeys: 0, recovery_codes_left: 0 });
        assert.equal((await signIn(url, username)).status, 200);
        assertFailure(await ask(token), 403, 'forbidden');
      });

      it('A new app replaces the first one when it is confirmed, and not before', async () => {
        const { url } = service();
        const first = await newGuarded(url, NOW);
        const secret = await beginTotp(url, first.token);
        assert.equal((await signInWith(url, first.username, first.code())).status, 200);
        assert.equal((await confirmTotp(url, first.token, codeOf(secret, NOW - STEP))).status, 200);
        for (const old of [first.code(1), first.recoveryCodes[0] ?? ''])
          assertFailure(await signInWith(url, first.username, old), 401, 'code_invalid');
        assert.equal((await signInWith(url, first.username, codeOf(secret, NOW))).status, 200);
      });

      it('An app that is no longer the one that was begun is refused, and leaves the app that is on', async () => {
        const { url, store } = service();
        const { id, username, token, code } = await newGuarded(url, NOW);
        await beginTotp(url, token);
        const caller = { userId: id, sessionId: sessionIdOf(token) };
        const begun = await store.write(tryTotp, { caller, now: NOW });
        await beginTotp(url, token);
        const origin = { address: '127.0.0.1', source: '127.0.0.1', requestId: 'r' };
        const late = { ...begun, step: 1, codeHashes: [], sendsMail: false, caller, now: NOW, origin };
        await assert.rejects(store.write(confirmBegun, late));
        assert.equal((await signInWith(url, username, code())).status, 200);
      });

      it('Each change and use of a second factor leaves an event without a secret', async () => {
        const { url, store } = service();
        const { id, username, token, code, secret, recoveryCodes } = await newGuarded(url, NOW);
        const [recovery = ''] = recoveryCodes;
        const before = await eventsOf(service(), id);
        assert.deepEqual(before, ['registered', 'signed_in', 'totp_enabled', 'recovery_codes_created']);
        const challenge = await challengeOf(url, username);
        assertFailure(await complete(url, challenge, '000000'), 401, 'code_invalid');
        assert.equal((await complete(url, challenge, code())).status, 200);
        assert.equal((await signInWith(url, username, recovery)).status, 200);
        await call(url, 'POST', '/api/auth/recovery-codes', { token });
        await call(url, 'DELETE', '/api/auth/totp', { token });
        assert.deepEqual((await eventsOf(service(), id)).slice(before.length), [
          'second_factor_failed',
          'signed_in',
          'recovery_code_used {"left":"9"}',
          'signed_in',
          'recovery_codes_created',
          'totp_disabled',
        ]);
        const trail = JSON.stringify(await store.read(listEvents, { page: 1, per_page: 100, account: id }));
        for (const text of [secret, recovery, challenge, code()]) assert.ok(!trail.includes(text), text);
      });

      it('The owner is notified by mail of changed factors, new recovery codes and new tokens', async () => {
        const { url, log } = service();
        const { username, email, token } = await newGuarded(url, NOW);
        const told = () =>
          log.map((line) => JSON.parse(line)).filter(({ to, subject }) => to === email && subject);
        const next = async (subject: string) => {
          await until(() => told().at(-1)?.subject === subject, `a mail is sent: ${subject}`);
          assert.ok(told().at(-1)?.text.startsWith(`Hello ${username},\n`));
        };
        await next('An authenticator app was turned on for your account');
        assert.equal((await call(url, 'POST', '/api/auth/recovery-codes', { token })).status, 200);
        await next('Your account has new recovery codes');
        const secret = await newPersonalToken(url, { token });
        await next('A personal access token was made for your account');
        assert.ok(!told().at(-1)?.text.includes(secret));
        assert.equal((await call(url, 'DELETE', '/api/auth/totp', { token })).status, 200);
        await next('The authenticator app of your account was turned off');
        assert.equal(told().length, 4, 'one mail each');
      });

      it('A second factor remains after a change of the password, which ends the logins that wait for it', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { username, token, code } = await guard(url, account, NOW);
        const challenge = await challengeOf(url, username);
        const body = { current_password: PASSWORD, new_password: 'a better horse battery' };
        assert.equal((await call(url, 'POST', '/api/auth/password', { token, body })).status, 200);
        assertFailure(await complete(url, challenge, code()), 401, 'challenge_invalid');
        const asked = await signIn(url, username, body.new_password);
        assertFailure(asked, 401, 'second_factor_required');
        assert.equal((await complete(url, asked.body.data.challenge, code())).status, 200);
        await assert.rejects(login(url, username, body.new_password));
      });
    },
    { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'log' },
    { clock: () => NOW },
  ),
);

onEveryEngine('A session that began ten minutes ago', (engine) => {
  it('A session that began ten minutes ago makes no recovery codes, and turns no authenticator app on or off', async (t) => {
    const { url, passTime } = await startService(t, engine, {}, { clock: () => NOW });
    const { token } = await newGuarded(url, NOW);
    passTime(10 * 60_000);
    for (const [method, path] of [
      ['POST', '/api/auth/recovery-codes'],
      ['POST', '/api/auth/totp'],
      ['DELETE', '/api/auth/totp'],
    ] as const)
      assertFailure(await call(url, method, path, { token }), 403, 'recent_sign_in_required');
  });
});

onEveryEngine('A session of a clock that was ahead', (engine) => {
  it('A session that began while the clock was ahead is no recent sign-in once the clock is right', async (t) => {
    const { url, passTime } = await startService(t, engine, {}, { clock: () => NOW });
    const { username } = await newAccount(url);
    passTime(60 * 60_000);
    const { refreshToken } = await login(url, username);
    passTime(-60 * 60_000);
    const { token } = (await refresh(url, refreshToken)).body.data;
    assertFailure(await call(url, 'POST', '/api/auth/totp', { token }), 403, 'recent_sign_in_required');
  });
});

onEveryEngine('A refused second factor', (engine) => {
  it('A sign-in whose second factor is refused is not the last sign-in of its account', async (t) => {
    const { url, passTime } = await startService(t, engine, {}, { clock: () => NOW });
    const { username, token, code } = await newGuarded(url, NOW);
    assert.equal((await signInWith(url, username, code())).status, 200);
    passTime(1_000);
    assertFailure(await signInWith(url, username, code()), 401, 'code_invalid');
    const { account } = (await call(url, 'GET', '/api/users/me/export', { token })).body.data;
    assert.equal(Date.parse(account.last_sign_in_at), NOW);
  });
});
