import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { Authenticator, SITE } from '../support/authenticator.ts';
import { call, login, newAccount, newItem, newName, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { logInWith, newPasskey, PASSKEYS, requestOptions } from '../support/passkeys.ts';
import { beginTotp, codeOf, complete, guard } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { refusedThen, signIn, spend, startBehindProxy, statuses, WRONG } from '../support/sign-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [HOME, ELSEWHERE] = ['198.51.100.1', '203.0.113.9'];

onEveryEngine('A source', (engine) => {
  it('that registered as many accounts as an hour allows gets 429, and others do not', async (t) => {
    const { url, passTime } = await startBehindProxy(t, engine, { REGISTRATIONS_PER_HOUR: '3' });
    const register = (from: string) => {
      const username = newName();
      const body = { username, email: `${username}@example.org`, password: PASSWORD };
      return call(url, 'POST', '/api/auth/register', { body, headers: { 'x-forwarded-for': from } });
    };
    const neighbours = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'];
    const seen = await statuses(4, (index) => register(neighbours[index] ?? ''));
    assert.deepEqual(seen, [200, 200, 200, 429]);
    const refused = await register('2001:db8::5');
    assertFailure(refused, 429, 'too_many_requests');
    assert.equal(refused.headers.get('retry-after'), '1200');
    assert.equal((await register('203.0.113.1')).status, 200);
    passTime(HOUR / 3);
    assert.deepEqual(await statuses(2, () => register('2001:db8::1')), [200, 429]);
  });

  it('registers without a bound where there is none', async (t) => {
    const { url } = await startBehindProxy(t, engine, { REGISTRATIONS_PER_HOUR: '0' });
    for (let each = 0; each < 3; each++) await newAccount(url);
  });

  it('that sends refused refresh tokens gets 429 for those, and never for a good one', async (t) => {
    const { url } = await startBehindProxy(t, engine, { REFUSED_REFRESHES_PER_HOUR: '3' });
    let { refreshToken } = await newAccount(url);
    const refreshes = async () => {
      const { status, body } = await refresh(url, refreshToken);
      refreshToken = body.data.refresh_token;
      return status;
    };
    for (let each = 0; each < 5; each++) assert.equal(await refreshes(), 200);
    const invented = await statuses(4, () => refresh(url, `stoa_rt_${'x'.repeat(75)}`));
    assert.deepEqual(invented, refusedThen(3, 429));
    for (let each = 0; each < 5; each++) assert.equal(await refreshes(), 200);
  });

  it('that asks for new passwords, or tries links, gets 429 after a hundred', async (t) => {
    const { url } = await startBehindProxy(t, engine, { SMTP_URL: 'log' });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const forget = () =>
      call(url, 'POST', '/api/auth/password/forgotten', {
        body: { email: 'nobody@example.org' },
        headers: from('2001:db8::1'),
      });
    const reset = (address: string) =>
      call(url, 'POST', '/api/auth/password/reset', {
        body: { token: 'none', new_password: PASSWORD },
        headers: from(address),
      });
    assert.deepEqual(await statuses(60, forget), Array(60).fill(200));
    assert.deepEqual(await statuses(40, () => reset('2001:db8::2')), Array(40).fill(400));
    assertFailure(await forget(), 429, 'too_many_requests');
    assert.equal((await reset('2001:db8::2')).headers.get('retry-after'), '36');
    assert.equal((await reset('203.0.113.1')).status, 400);
  });

  it('that sends tokens of an ended session again and again costs the database nothing', async (t) => {
    const operations: string[] = [];
    const wrap = (store: Parameters<typeof observed>[0]) =>
      observed(store, { before: (name) => operations.push(name) });
    const { url } = await startService(t, engine, {}, { wrap });
    const { token, refreshToken } = await newAccount(url);
    await call(url, 'POST', '/api/auth/logout', { token });
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    const before = operations.filter((name) => name.includes('token')).length;
    assert.equal(before, 2);
    for (let each = 0; each < 5; each++)
      assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    assert.equal(operations.filter((name) => name.includes('token')).length, before);
  });
});

onEveryEngine('An account', (engine) => {
  it('that changed its password twenty times within an hour gets 429, and others do not', async (t) => {
    const { url } = await startBehindProxy(t, engine);
    const [{ token }, other] = [await newAccount(url), await newAccount(url)];
    const body = { current_password: PASSWORD, new_password: PASSWORD };
    const change = (of: string) => call(url, 'POST', '/api/auth/password', { token: of, body });
    assert.deepEqual(await statuses(21, () => change(token)), [...Array<number>(20).fill(200), 429]);
    assert.equal((await change(token)).headers.get('retry-after'), '180');
    assert.equal((await change(other.token)).status, 200);
  });

  it('that wrote as often as an hour allows gets 429, and others do not', async (t) => {
    const { url, passTime } = await startBehindProxy(t, engine, { WRITES_PER_HOUR: '4' });
    const [{ username, ...first }, other] = [await newAccount(url), await newAccount(url)];
    let { token } = first;
    const body = { title: 't', content: 'c' };
    const create = () => call(url, 'POST', '/api/content', { token, body });
    const { body: made } = await create();
    const path = `/api/content/${made.data.id}`;
    assert.equal((await call(url, 'PUT', path, { token, body })).status, 200);
    assert.equal((await call(url, 'DELETE', path, { token })).status, 200);
    assert.equal((await create()).status, 200);
    const refused = await create();
    assertFailure(refused, 429, 'too_many_requests');
    assert.equal(refused.headers.get('retry-after'), '900');
    assertFailure(await call(url, 'PUT', path, { token, body }), 429, 'too_many_requests');
    assertFailure(await call(url, 'DELETE', path, { token }), 429, 'too_many_requests');
    assert.equal((await call(url, 'GET', '/api/content')).body.data.total, 1, 'nothing of it is there');
    await newItem(url, other.token);
    passTime(HOUR / 4);
    token = (await login(url, username)).token;
    assert.deepEqual(await statuses(2, create), [200, 429]);
  });

  it('that wrote as much text as an hour allows gets 429, and what is larger than that gets all of it', async (t) => {
    const { url, passTime } = await startBehindProxy(t, engine, { WRITTEN_MB_PER_HOUR: '1' });
    const { username, ...first } = await newAccount(url);
    let { token } = first;
    const create = (bytes: number) =>
      call(url, 'POST', '/api/content', {
        token,
        body: { title: 'ä'.repeat(200), content: 'x'.repeat(bytes) },
      });
    const [MIB, KIB] = [1024 * 1024, 1024];
    assert.deepEqual(await statuses(2, () => create(MIB)), [200, 429]);
    passTime(HOUR / 2);
    token = (await login(url, username)).token;
    const sizes = [MIB / 2, MIB / 4, MIB / 4 - 3 * KIB, KIB, 1];
    assert.deepEqual(await statuses(5, (index) => create(sizes[index] ?? 0)), [429, 200, 200, 429, 200]);
  });

  it('that has stored all that it may gets 400 until it deletes something, at every instance', async (t) => {
    const shared = await sameDatabase(t, engine);
    const { url, passTime } = await startService(t, shared, { STORED_MB: '1' });
    const [{ token }, other] = [await newAccount(url), await newAccount(url)];
    const body = { title: 't', content: 'x'.repeat(400 * 1024) };
    const create = (instance = url) => call(instance, 'POST', '/api/content', { token, body });
    const { body: made } = await create();
    const path = `/api/content/${made.data.id}`;
    assert.equal((await call(url, 'PUT', path, { token, body: { title: 'u' } })).status, 200);
    assert.deepEqual(await statuses(2, () => create()), [200, 200]);
    assertFailure(await create(), 400, 'storage_full');
    assertFailure(await call(url, 'PUT', path, { token, body }), 400, 'storage_full');
    await newItem(url, other.token);
    const { url: elsewhere } = await startService(t, shared, { STORED_MB: '1' });
    assertFailure(await create(elsewhere), 400, 'storage_full');
    assert.equal((await call(url, 'DELETE', path, { token })).status, 200);
    passTime(10_000);
    assert.deepEqual(await statuses(2, () => create()), [200, 400]);
  });

  it('is counted once where many of its writes begin at once', async (t) => {
    let sums = 0;
    const wrap = (store: Store) =>
      observed(store, { before: (name) => void (name === 'content.sum_stored' && sums++) });
    const { url } = await startService(t, engine, {}, { wrap });
    const { token } = await newAccount(url);
    await Promise.all(Array.from({ length: 16 }, () => newItem(url, token)));
    assert.equal(sums, 1);
  });
});

onEveryEngine('An owner', (engine) => {
  const settings = { PUBLIC_URL: SITE.origin };
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const NOW = Date.UTC(2030, 0, 1);

  it('may still change the account after an old token asked for more changes than an hour allows', async (t) => {
    const { url, store, passTime } = await startBehindProxy(t, engine, settings);
    const { id, username, token: old } = await newAccount(url);
    assert.equal((await signIn(url, username, PASSWORD, HOME)).status, 200);
    passTime(11 * MINUTE);
    const now = NOW + 11 * MINUTE;
    // One is left of each of the two large budgets.
    for (const kind of ['passkey_addition', 'token_creation'] as const)
      await spend(store, kind, { id, times: 199, perHour: 200, now });
    const changes = [
      [11, 'GET', '/api/users/me/export'],
      [31, 'POST', '/api/auth/totp'],
      [31, 'POST', '/api/auth/recovery-codes'],
      [31, 'DELETE', '/api/auth/totp'],
      [2, 'POST', `${PASSKEYS}/options`],
      [2, 'POST', '/api/auth/tokens', { name: 'n', scope: 'read', expires_in_days: 1 }],
    ] as const;
    for (const [times, method, path, body] of changes)
      for (let asked = 0; asked < times; asked++) {
        const answer = await call(url, method, path, { token: old, ...(body && { body }) });
        assertFailure(answer, 403, 'recent_sign_in_required');
      }
    const changePassword = (token: string, current_password: string, address: string) =>
      call(url, 'POST', '/api/auth/password', {
        token,
        body: { current_password, new_password: PASSWORD },
        headers: from(address),
      });
    const wrong = await statuses(21, () => changePassword(old, WRONG, ELSEWHERE));
    assert.deepEqual(wrong, [...Array(10).fill(400), ...Array(11).fill(429)]);

    const { body } = await signIn(url, username, PASSWORD, HOME);
    const { token } = body.data;
    for (const [, method, path, sent] of changes) {
      const { status } = await call(url, method, path, { token, ...(sent && { body: sent }) });
      assert.notEqual(status, 429, `${method} ${path}`);
    }
    assert.equal((await changePassword(token, PASSWORD, HOME)).status, 200);
    for (const [, method, path, sent] of changes.slice(-2))
      assertFailure(
        await call(url, method, path, { token, ...(sent && { body: sent }) }),
        429,
        'too_many_requests',
      );
  });

  it('signs in by a passkey after somebody sent a captured use of it again and again', async (t) => {
    const { url, store } = await startBehindProxy(t, engine, settings);
    const account = await newAccount(url);
    const { authenticator } = await newPasskey(url, account, new Authenticator());
    const captured = authenticator.get(await requestOptions(url));
    assert.equal((await logInWith(url, captured)).status, 200);
    await spend(store, 'passkey_sign_in', { id: account.id, times: 498, perHour: 500, now: NOW });
    for (let sent = 0; sent < 3; sent++)
      assertFailure(await logInWith(url, captured), 401, 'bad_credentials');
    const fresh = async () => logInWith(url, authenticator.get(await requestOptions(url)));
    assert.equal((await fresh()).status, 200);
    assertFailure(await fresh(), 429, 'too_many_requests');
  });

  it('turns an app on, and logs in on a new device, after another session sent wrong first codes', async (t) => {
    const { url } = await startBehindProxy(t, engine);
    const owner = await newAccount(url);
    const { token: stolen } = await login(url, owner.username);
    const { code } = await guard(url, owner, NOW);
    const secret = await beginTotp(url, owner.token);
    const confirm = (token: string, sent: string, address: string) =>
      call(url, 'POST', '/api/auth/totp/confirm', { token, body: { code: sent }, headers: from(address) });
    const guesses = await statuses(11, () => confirm(stolen, 'none', ELSEWHERE));
    assert.deepEqual(guesses, [...Array(10).fill(400), 429]);
    const { body } = await signIn(url, owner.username, PASSWORD, '203.0.113.77');
    assert.equal((await complete(url, body.data.challenge, code(), '203.0.113.77')).status, 200);
    assert.equal((await confirm(owner.token, codeOf(secret, NOW), '203.0.113.78')).status, 200);
  });
});
