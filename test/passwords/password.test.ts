import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { disableAccount } from '../../src/accounts/administer.ts';
import { listEvents } from '../../src/audit/list.ts';
import { beginOperatorReset, setPassword } from '../../src/passwords/operator-reset.ts';
import { OPERATOR_LINK } from '../../src/services/links/purposes.ts';
import { newToken } from '../../src/services/links/token.ts';
import type { Store } from '../../src/store/store.ts';
import { call, login, newAccount, newName, PASSWORD, refresh } from '../support/client.ts';
import { addressOf } from '../support/email.ts';
import { onEveryEngine, onOneEngine, sameDatabase, temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { hashed } from '../support/hashed.ts';
import { forget, mailServerOfSuite, newResetLink, reset, tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { observed } from '../support/observed.ts';
import { newWithRole } from '../support/people.ts';
import { rawPost, sendRaw } from '../support/raw.ts';
import { newGuarded, signInWith } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { refusedThen, signIn, statuses, WRONG } from '../support/sign-in.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const NEW = 'a better horse battery';

function change(url: string, token: string, passwords: [current: string, next: string], from?: string) {
  const [current_password, new_password] = passwords;
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  return call(url, 'POST', '/api/auth/password', {
    token,
    body: { current_password, new_password },
    headers,
  });
}

/** JSON whose strings are escapes only. */
function escaped(members: Readonly<Record<string, string>>): string {
  const text = (value: string) =>
    value.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `{${Object.entries(members).map(([name, value]) => `"${name}":"${text(value)}"`)}}`;
}

onOneEngine('Passwords in requests', (engine) => {
  describeOnService(engine, 'of a service without mail', (service) => {
    it('Each route with a password takes 256 characters of four code points, in escapes, with the longest address', async () => {
      const { url } = service();
      const [old, next] = ['\u1fa7', '\u1f97'].map((vowel) => vowel.normalize('NFD').repeat(256));
      assert.ok(old && next && old.length === 4 * 256);
      const email = `${newName().padEnd(64, 'x')}@${`${'y'.repeat(61)}.`.repeat(3)}de`;
      const post = (path: string, members: Record<string, string>, token?: string) =>
        call(url, 'POST', path, { token, body: escaped(members) });
      const registered = await post('/api/auth/register', { username: newName(), email, password: old });
      assert.equal(registered.status, 200, JSON.stringify(registered.body));
      const { body } = await post('/api/auth/login', { username: email, password: old });
      const changed = { current_password: old, new_password: next };
      assert.equal((await post('/api/auth/password', changed, body.data.token)).status, 200);
      assert.equal((await post('/api/auth/login', { username: email, password: next })).status, 200);
      const others = {
        '/api/auth/password/reset': { token: 'stoa_pr_x', new_password: next },
        '/api/auth/restore': { username: email, password: old },
        '/api/setup': { token: 'stoa_su_x', username: newName(), email, password: old },
      };
      for (const [path, members] of Object.entries(others)) {
        const { error } = (await post(path, members)).body.data;
        assert.ok(['link_invalid', 'bad_credentials'].includes(error), `${path}: ${error}`);
      }
    });

    it('A password may be typed composed or decomposed', async () => {
      const { url } = service();
      const { username, token } = await newAccount(url);
      const [combined, apart] = ['\u00e9l\u00e9phant', 'e\u0301le\u0301phant'];
      assert.equal((await change(url, token, [PASSWORD, apart])).status, 200);
      assert.equal((await signIn(url, username, combined)).status, 200);
      assert.equal((await change(url, token, [apart, combined])).status, 200);
      assert.equal((await signIn(url, username, apart)).status, 200);
    });

    it('A request for a reset link is refused where the service sends no mail', async () => {
      const { url } = service();
      const { email } = await newAccount(url);
      const refused = await forget(url, email);
      assertFailure(refused, 403, 'no_mail');
      assert.match(refused.body.message ?? '', /; ask its operator .*"stoa admin reset-password"/);
    });
  });

  it('A reset link is mailed also where who asked for it left before the answer', async (t) => {
    const server = await startMailServer(t);
    const { promise: hasLeft, resolve: leave } = Promise.withResolvers<void>();
    let [hasArrived, isAsked] = [false, false];
    const wrap = (store: Store): Store => ({
      ...observed(store, {}),
      ping: async () => {
        isAsked = hasArrived;
        await hasLeft;
      },
    });
    const { url, server: http } = await startService(t, engine, server.settings, { wrap });
    t.after(() => leave());
    const { email } = await newAccount(url);
    const closed = new Promise<void>((resolve) => {
      http.once('request', (_, response) => {
        hasArrived = true;
        response.once('close', resolve);
      });
    });
    const body = JSON.stringify({ email });
    const socket = sendRaw(t, url, `${rawPost('/api/auth/password/forgotten', body.length)}${body}`);
    await until(() => isAsked, 'the request is under way');
    socket.resetAndDestroy();
    await closed;
    leave();
    await until(() => server.received.some(({ to }) => to.includes(email)), 'the mail arrives');
  });
});

onEveryEngine('Passwords', (engine) => {
  const { server, settings } = mailServerOfSuite({ TRUST_PROXY: '127.0.0.1' });
  describeInTurn(
    engine,
    'of a service that sends mail',
    (service) => {
      it('A change of the password needs the current one, keeps only its session, and is reported by mail', async () => {
        const { url } = service();
        const { username, email, token, refreshToken } = await newAccount(url);
        const other = await login(url, username);
        const wrong = await change(url, token, [WRONG, NEW]);
        assertFailure(wrong, 400, 'validation_failed', { field: 'current_password', rule: 'current' });
        assertFailure(await change(url, token, [PASSWORD, 'short']), 400, 'validation_failed', {
          field: 'new_password',
          rule: 'format',
        });
        assert.equal((await call(url, 'GET', '/api/users/me', { token: other.token })).status, 200);

        assert.equal((await change(url, token, [PASSWORD, NEW])).status, 200);
        assertFailure(await call(url, 'GET', '/api/users/me', { token: other.token }), 401, 'token_revoked');
        assertFailure(await refresh(url, other.refreshToken), 401, 'token_revoked');
        assert.equal((await call(url, 'GET', '/api/users/me', { token })).status, 200);
        assert.equal((await refresh(url, refreshToken)).status, 200);
        assert.equal((await signIn(url, username, PASSWORD)).status, 401);
        assert.equal((await signIn(url, username, NEW)).status, 200);
        const told = await server().nextTo(email);
        assert.deepEqual([told.to, told.subject], [[email], 'Your password was changed']);
        assert.ok(told.text.startsWith(`Hello ${username},\n`), told.text);
      });

      it('A wrong current password counts as a wrong sign-in', async () => {
        const { url } = service();
        const { username, token } = await newAccount(url);
        const HOME = '198.51.100.1';
        const guess = () => change(url, token, [WRONG, NEW], HOME);
        assert.deepEqual(await statuses(6, guess), Array(6).fill(400));
        assert.deepEqual(await statuses(4, () => signIn(url, username, WRONG, HOME)), refusedThen(4));
        assertFailure(await guess(), 429, 'too_many_requests');
        assertFailure(await change(url, token, [PASSWORD, NEW], HOME), 429, 'too_many_requests');
        assert.equal((await signIn(url, username, PASSWORD, HOME)).status, 429);
      });

      it('Of several changes of a password at once, one succeeds', async () => {
        const { url } = service();
        const { username, token } = await newAccount(url);
        const words = Array.from({ length: 4 }, (_, index) => `${NEW} ${index}`);
        const answers = await Promise.all(words.map((word) => change(url, token, [PASSWORD, word])));
        const good = answers.flatMap(({ status }, index) => (status === 200 ? [words[index]] : []));
        assert.equal(good.length, 1, JSON.stringify(answers.map(({ body }) => body)));
        assert.equal((await signIn(url, username, good[0])).status, 200);
      });

      it('A change of the password needs a recent sign-in where there is a second factor, and not elsewhere', async () => {
        const { url, now, passTime } = service();
        const [guarded, other] = [await newGuarded(url, now()), await newAccount(url)];
        passTime(10 * MINUTE);
        assertFailure(await change(url, guarded.token, [PASSWORD, NEW]), 403, 'recent_sign_in_required');
        assert.equal((await change(url, other.token, [PASSWORD, NEW])).status, 200);
        const { body } = await signInWith(url, guarded.username, guarded.code(20));
        assert.equal((await change(url, body.data.token, [PASSWORD, NEW])).status, 200);
        assert.equal((await signIn(url, guarded.username, PASSWORD)).status, 401);
      });

      it('A reset link sets a new password and ends all sessions and all other links', async () => {
        const { url } = service();
        const { username, email, token, refreshToken } = await newAccount(url);
        for (let each = 0; each < 2; each++)
          assert.equal((await forget(url, email.toUpperCase())).status, 200);
        const [one, other] = [await server().nextTo(email), await server().nextTo(email)];
        assert.deepEqual(
          [one.from, one.to, one.subject],
          ['stoa@example.org', [email], 'Choose a new password'],
        );
        const [link, unused] = [tokenIn(one), tokenIn(other)];
        assert.notEqual(link, unused);
        assert.equal((await signIn(url, username, PASSWORD)).status, 200, 'until the link is used');

        assert.equal((await reset(url, link, NEW)).status, 200);
        assertFailure(await reset(url, link, 'another new password'), 400, 'link_invalid');
        assertFailure(await reset(url, unused, 'another new password'), 400, 'link_invalid');
        assertFailure(await call(url, 'GET', '/api/users/me', { token }), 401, 'token_revoked');
        assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
        assert.equal((await signIn(url, username, PASSWORD)).status, 401);
        assert.equal((await signIn(url, username, NEW)).status, 200);
        assert.equal((await server().nextTo(email)).subject, 'Your password was changed');
      });

      it('A reset link works for 30 minutes, and ends with the account or the password', async () => {
        const { url, store, now, passTime } = service();
        const link = () => newResetLink(service(), { now: now() });
        const [last, late] = [await link(), await link()];
        passTime(30 * MINUTE - 1);
        assert.equal((await reset(url, last.token, NEW)).status, 200);
        passTime(1);
        assertFailure(await reset(url, late.token, NEW), 400, 'link_invalid');
        const [disabled, changed] = [await link(), await link()];
        await store.write(disableAccount, { account: disabled.account.username, now: now() });
        assertFailure(await reset(url, disabled.token, NEW), 400, 'link_invalid');
        const { token } = await login(url, changed.account.username);
        assert.equal((await change(url, token, [PASSWORD, NEW])).status, 200);
        assertFailure(await reset(url, changed.token, NEW), 400, 'link_invalid');
        assertFailure(await reset(url, 'stoa_pr_', NEW), 400, 'link_invalid');
      });

      it('An account gets five reset links at once, and one more after twelve minutes', async () => {
        const { url, passTime } = service();
        const [{ email }, other] = [await newAccount(url), await newAccount(url)];
        for (let each = 0; each < 8; each++) assert.equal((await forget(url, email)).status, 200);
        await forget(url, other.email);
        const arrive = async (first: number) => {
          for (let each = 0; each < first; each++) await server().nextTo(email);
          await server().nextTo(other.email);
          return server().received.filter(({ to }) => to.includes(email)).length;
        };
        assert.equal(await arrive(5), 5);
        passTime(12 * MINUTE);
        for (let each = 0; each < 2; each++) await forget(url, email);
        await forget(url, other.email);
        assert.equal(await arrive(1), 6);
      });

      it('The link of an operator works once within a day, verifies no address, and ends all sessions', async () => {
        const { url, store, now, passTime } = service();
        const [owner, late, gone] = [await newAccount(url), await newAccount(url), await newAccount(url)];
        const linkFor = async (account: string) => {
          const { token, tokenHash } = newToken(OPERATOR_LINK.prefix);
          await store.write(beginOperatorReset, { account, tokenHash, now: now() });
          return token;
        };
        await store.write(disableAccount, { account: gone.username, now: now() });
        await assert.rejects(linkFor(gone.username), /is disabled, and its link would be refused/);
        await assert.rejects(linkFor('nobody'), /There is no such account/);
        const [link, second, lateLink] = [
          await linkFor(owner.email),
          await linkFor(owner.email),
          await linkFor(late.username),
        ];
        assertFailure(await refresh(url, owner.refreshToken), 401, 'token_revoked');
        assertFailure(await reset(url, link, NEW), 400, 'link_invalid');
        passTime(24 * 60 * MINUTE - 1);
        assert.equal((await reset(url, second, NEW)).status, 200);
        assertFailure(await reset(url, second, 'another new password'), 400, 'link_invalid');
        passTime(1);
        assertFailure(await reset(url, lateLink, NEW), 400, 'link_invalid');
        const { token } = await login(url, owner.username, NEW);
        assert.deepEqual(await addressOf(url, token), [owner.email, false]);
        assert.deepEqual(await eventsOf(service(), owner.id), [
          'registered',
          'signed_in',
          'sessions_ended operator',
          'password_reset_requested',
          'password_reset_requested',
          'password_reset',
          'signed_in',
        ]);
      });

      it('A password that an operator sets ends all sessions and is reported to the owner', async () => {
        const { url, store, now } = service();
        const { id, username, email, refreshToken } = await newAccount(url);
        const given = { account: username, newHash: hashed(NEW), sendsMail: true, now: now() };
        await store.write(setPassword, given);
        assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
        assert.equal((await signIn(url, username, PASSWORD)).status, 401);
        assert.equal((await signIn(url, username, NEW)).status, 200);
        const told = await server().nextTo(email);
        assert.deepEqual([told.to, told.subject], [[email], 'Your password was changed']);
        assert.deepEqual(await eventsOf(service(), id), [
          'registered',
          'signed_in',
          'password_reset',
          'sign_in_failed',
          'signed_in',
        ]);
      });

      it('A password that an operator sets is the new one that an admin demanded', async () => {
        const { url, store, now } = service();
        const [admin, { id, username }] = [await newWithRole(service(), 'admin'), await newAccount(url)];
        const body = { must_change_password: true };
        const demanded = await call(url, 'PUT', `/api/users/${id}`, { token: admin.token, body });
        assert.equal(demanded.status, 200, JSON.stringify(demanded.body));
        assertFailure(await signIn(url, username), 403, 'password_change_required');
        const given = { account: username, newHash: hashed(NEW), sendsMail: true, now: now() };
        await store.write(setPassword, given);
        assert.equal((await signIn(url, username, NEW)).status, 200);
      });
    },
    settings,
  );

  it('A change of the password fails when its session ends while the password is checked', async (t) => {
    let end = async () => {};
    const before = (name: string) => (name === 'passwords.change_own_password' ? end() : undefined);
    const { url } = await startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
    const { username, token } = await newAccount(url);
    end = async () => void (await call(url, 'POST', '/api/auth/logout', { token }));
    assertFailure(await change(url, token, [PASSWORD, NEW]), 401, 'token_revoked');
    assert.equal((await signIn(url, username, PASSWORD)).status, 200);
  });
  it('A request for a reset link is answered alike for every address, before the address matters', async (t) => {
    const server = await startMailServer(t);
    const begun: { name: string; answered: number }[] = [];
    let [answered, isSeen] = [0, false];
    const before = (name: string) => {
      // Not what jobs do.
      if (isSeen && /^(links|passwords)\.(find|forget|request)/.test(name)) begun.push({ name, answered });
    };
    const wrap = (store: Store) => observed(store, { before });
    const { url, store, server: http } = await startService(t, engine, server.settings, { wrap });
    const [{ email }, gone] = [await newAccount(url), await newAccount(url)];
    await store.write(disableAccount, { account: gone.username, now: Date.now() });
    http.on('request', (_, response) => response.once('finish', () => void answered++));
    isSeen = true;
    for (const address of [gone.email, `${newName()}@example.org`, email])
      assert.deepEqual((await forget(url, address)).body, { code: 200, data: {} });
    assert.deepEqual((await server.next()).to, [email], 'a disabled account gets no mail');
    await until(() => begun.length >= answered, 'the work of every answered request has begun');
    assert.deepEqual(
      begun,
      [1, 2, 3].map((each) => ({ name: 'passwords.forget_password', answered: each })),
    );
  });

  it('A reset link used by 16 requests at once over all instances works once', async (t) => {
    const database = await sameDatabase(t, engine);
    const start = () => startService(t, database, { SMTP_URL: 'log' });
    const one = await start();
    const other = engine.name === 'PostgreSQL' ? await start() : one;
    const { token, account } = await newResetLink(one);
    const words = Array.from({ length: 16 }, (_, index) => `${NEW} ${index}`);
    const answers = await Promise.all(
      words.map((word, index) => reset((index % 2 ? one : other).url, token, word)),
    );
    const good = answers.flatMap(({ status }, index) => (status === 200 ? [words[index]] : []));
    assert.equal(good.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertFailure(answer, 400, 'link_invalid');
    assert.equal((await signIn(one.url, account.username, good[0])).status, 200);
  });
});

/** The trail of an account, oldest first: each event, and why where it says so. */
async function eventsOf({ store }: RunningService, account: number): Promise<string[]> {
  const { items } = await store.read(listEvents, { page: 1, per_page: 20, account });
  return items.toReversed().map(({ event, detail }) => [event, JSON.parse(detail).because].join(' ').trim());
}

onOneEngine('Own words in passwords', (engine) => {
  it('A password with no letters but words of the own name and address is refused', async (t) => {
    const file = join(await temporaryFolder(t), 'common.txt');
    await writeFile(file, 'letmein123\n');
    const service = await startService(t, engine, { PASSWORD_BLOCKLIST: file, SMTP_URL: 'log' });
    const { url } = service;
    const body = { username: 'grace.hopper', email: 'admiral@navy.example', password: PASSWORD };
    const register = (password: string) =>
      call(url, 'POST', '/api/auth/register', { body: { ...body, password } });
    const own = ['GraceHopper', 'hopper-1906!', 'admiral@navy', 'ＡＤＭＩＲＡＬ navy'];
    const rule = 'own_words';
    for (const password of own)
      assertFailure(await register(password), 400, 'validation_failed', { field: 'password', rule });
    assert.equal((await register('hopper and horse')).status, 200);
    const { token } = await login(url, body.username, 'hopper and horse');
    const changed = (password: string) => change(url, token, ['hopper and horse', password]);
    assertFailure(await changed('hopper1906'), 400, 'validation_failed', { field: 'new_password', rule });
    assertFailure(await changed('LETMEIN123'), 400, 'validation_failed', {
      field: 'new_password',
      rule: 'blocklist',
    });
    const { token: link, account } = await newResetLink(service);
    assertFailure(await reset(url, link, account.username), 400, 'validation_failed', {
      field: 'new_password',
      rule,
    });
    assert.equal((await reset(url, link, NEW)).status, 200, 'a password that was refused costs no link');
  });
});
