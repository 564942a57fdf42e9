import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Account, call, login, newAccount, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { linksOf } from '../support/list.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { describeInTurn, type InTurn } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PATH = '/api/auth/sessions';

interface Shown {
  readonly id: string;
  readonly device?: string;
  readonly address?: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly current: boolean;
}

onEveryEngine('The sessions of an account', (engine) => {
  describeInTurn(
    engine,
    'of one service',
    (service) => {
      it('The sessions are listed newest first, with device, times, last address, and the current one', async () => {
        const { ask, signIn, passTime, account, at } = await start(service());
        passTime(MINUTE);
        const phone = await signIn(account, { from: '203.0.113.1', agent: 'Phone/1.0' });
        passTime(MINUTE);
        const laptop = await signIn(account, { from: '203.0.113.2', agent: 'Laptop/2.0 (Linux)' });
        passTime(MINUTE);
        const moved = await ask('POST', '/api/auth/refresh', {
          token: phone.refreshToken,
          from: '2001:db8::7',
        });
        assert.equal(moved.status, 200);
        const { items, total } = (await ask('GET', PATH, { token: laptop.token })).body.data;
        assert.equal(total, 3);
        assert.deepEqual(items.slice(0, 2), [
          {
            id: sessionIdOf(laptop.token),
            device: 'Laptop/2.0 (Linux)',
            created_at: at(2),
            last_used_at: at(2),
            address: '203.0.113.2',
            current: true,
          },
          {
            id: sessionIdOf(phone.token),
            device: 'Phone/1.0',
            created_at: at(1),
            last_used_at: at(3),
            address: '2001:db8::7',
            current: false,
          },
        ]);
      });

      it('The sessions are on pages with an exact total, without ended ones and those of others', async () => {
        const { ask, signIn, passTime, account, other } = await start(service());
        const begun: string[] = [];
        for (let each = 0; each < 5; each++) {
          passTime(MINUTE);
          begun.unshift((await signIn(account)).token);
        }
        const [newest = '', second = ''] = begun;
        await ask('POST', '/api/auth/logout', { token: second });
        const seen: Shown[] = [];
        for (const page of [1, 2, 3, 4]) {
          const { body, headers } = await ask('GET', `${PATH}?per_page=2&page=${page}`, { token: newest });
          assert.deepEqual([body.data.total, body.data.page, body.data.per_page], [5, page, 2]);
          assert.equal(linksOf(headers).last, `${PATH}?per_page=2&page=3`);
          seen.push(...body.data.items);
        }
        const expected = [newest, ...begun.slice(2), account.token].map(sessionIdOf);
        assert.deepEqual(
          seen.map(({ id }) => id),
          expected,
        );
        assert.equal((await ask('GET', PATH, { token: other.token })).body.data.total, 1);
        passTime(14 * DAY - MINUTE);
        const later = await signIn(account);
        const left = (await ask('GET', PATH, { token: later.token })).body.data;
        assert.deepEqual([left.total, left.items.length], [2, 2], 'one of 14 days without a use has ended');
      });

      it('A session shows its device on one line of 256 characters, and none where the client sends none', async () => {
        const { ask, signIn, account } = await start(service());
        const odd = await signIn(account, { agent: `\u0085A\tB\u00adC\u009b31m ${'x'.repeat(300)}` });
        const silent = await signIn(account, { agent: ' \u00ad ' });
        const { items } = (await ask('GET', PATH, { token: silent.token })).body.data;
        const deviceOf = (token: string) => items.find(({ id }: Shown) => id === sessionIdOf(token)).device;
        assert.equal(deviceOf(odd.token), `A B C 31m ${'x'.repeat(246)}`);
        assert.equal(deviceOf(silent.token), undefined);
      });

      it('A session has the name that its owner gives, which a refresh keeps and nobody else changes', async () => {
        const { ask, signIn, account, other } = await start(service());
        const phone = await signIn(account);
        const path = `${PATH}/${sessionIdOf(phone.token)}`;
        const put = (token: string, name: unknown) => call(ask.url, 'PUT', path, { token, body: { name } });
        const named = await put(account.token, 'My phone');
        assert.deepEqual(
          [named.status, named.body.data.name, named.body.data.current],
          [200, 'My phone', false],
        );
        assertFailure(await put(other.token, 'Mine now'), 404, 'not_found');
        for (const name of ['', 'x'.repeat(101), 1, null])
          assertFailure(await put(account.token, name), 400, 'validation_failed', { field: 'name' });
        assert.equal((await refresh(ask.url, phone.refreshToken)).status, 200);
        const { items } = (await ask('GET', PATH, { token: account.token })).body.data;
        const nameOf = (token: string) => items.find(({ id }: Shown) => id === sessionIdOf(token)).name;
        assert.deepEqual([nameOf(phone.token), nameOf(account.token)], ['My phone', undefined]);
        assert.equal((await ask('DELETE', path, { token: account.token })).status, 200);
        assertFailure(await put(account.token, 'Gone'), 404, 'not_found');
      });

      it('A session is ended at once, and only by its own account', async () => {
        const { ask, signIn, account, other } = await start(service());
        const phone = await signIn(account);
        const path = `${PATH}/${sessionIdOf(phone.token)}`;
        const me = () => ask('GET', '/api/users/me', { token: phone.token });
        assert.equal((await me()).status, 200);
        assertFailure(await ask('DELETE', path, { token: other.token }), 404, 'not_found');
        assert.equal((await me()).status, 200, "another account's request ended nothing");
        const ended = await ask('DELETE', path, { token: account.token });
        assert.deepEqual(ended.body.data, { id: sessionIdOf(phone.token) });
        assertFailure(await me(), 401, 'token_revoked');
        assertFailure(await refresh(ask.url, phone.refreshToken), 401, 'token_revoked');
        assertFailure(await ask('DELETE', path, { token: account.token }), 404, 'not_found');
        assertFailure(await ask('DELETE', `${PATH}/1`, { token: account.token }), 400, 'validation_failed');
      });

      it('The end of all other sessions ends all personal access tokens too, and says how many', async () => {
        const { ask, signIn, account, other } = await start(service());
        const others = [await signIn(account), { token: await newPersonalToken(ask.url, account) }];
        const statuses = () =>
          Promise.all(
            [...others, account, other].map(
              async ({ token }) => (await ask('GET', '/api/users/me', { token })).status,
            ),
          );
        assert.deepEqual(await statuses(), [200, 200, 200, 200]);
        const everybodyElse = () => ask('DELETE', PATH, { token: account.token });
        assert.deepEqual((await everybodyElse()).body.data, { ended: 2 });
        assert.deepEqual(await statuses(), [401, 401, 200, 200]);
        assert.deepEqual((await everybodyElse()).body.data, { ended: 0 });
        assert.equal((await refresh(ask.url, account.refreshToken)).status, 200);
      });

      it('Each end of a session leaves an event with its reason', async () => {
        const { ask, signIn, account, at } = await start(service());
        const admin = await newWithRole(service(), 'admin');
        const [phone] = [await signIn(account), await signIn(account), await signIn(account)];
        const path = `${PATH}/${sessionIdOf(phone.token)}`;
        const answers = [
          await ask('DELETE', path, { token: account.token, from: '203.0.113.9' }),
          await ask('DELETE', PATH, { token: account.token, from: '203.0.113.9' }),
        ];
        for (const again of [path, PATH]) await ask('DELETE', again, { token: account.token });
        const trail = await ask('GET', `/api/audit?account=${account.id}&per_page=2`, { token: admin.token });
        const who = { id: account.id, username: account.username };
        const both = { account: who, actor: who, address: '203.0.113.9', times: 1, at: at(0) };
        const [one, all] = answers.map(({ headers }) => headers.get('x-request-id'));
        assert.deepEqual(
          trail.body.data.items.map(({ id: _, ...rest }: { id: number }) => rest),
          [
            {
              ...both,
              event: 'sessions_ended',
              session_id: sessionIdOf(account.token),
              request_id: all,
              detail: { sessions: '2', because: 'all others' },
            },
            {
              ...both,
              event: 'session_revoked',
              session_id: sessionIdOf(phone.token),
              request_id: one,
              detail: {},
            },
          ],
        );
      });
    },
    { TRUST_PROXY: '127.0.0.1' },
  );

  it('A session that ended during its request ends no other session', async (t) => {
    let pass = () => {};
    const held = new Promise<void>((resolve) => {
      pass = resolve;
    });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const before = (operation: string) => {
      if (operation !== 'sessions.revoke_other_sessions') return;
      arrive();
      return held;
    };
    const { url } = await startService(t, engine, {}, { wrap: (store) => observed(store, { before }) });
    const owner = await newAccount(url);
    const thief = await login(url, owner.username);
    const attack = call(url, 'DELETE', PATH, { token: thief.token });
    await arrived;
    const path = `${PATH}/${sessionIdOf(thief.token)}`;
    assert.equal((await call(url, 'DELETE', path, { token: owner.token })).status, 200);
    pass();
    assertFailure(await attack, 401, 'token_revoked');
    assert.equal((await call(url, 'GET', '/api/users/me', { token: owner.token })).status, 200);
  });
});

/** Two new accounts, with a clock that begins now. */
async function start({ url, now, passTime }: InTurn) {
  const begun = now();
  const ask = (method: string, path: string, { token, from }: { token: string; from?: string }) =>
    call(url, method, path, { token, headers: from === undefined ? {} : { 'x-forwarded-for': from } });
  const signIn = async (
    { username }: Pick<Account, 'username'>,
    { from = '203.0.113.0', agent = 'test' } = {},
  ): Promise<Pick<Account, 'token' | 'refreshToken'>> => {
    const headers = { 'x-forwarded-for': from, 'user-agent': agent };
    const { body } = await call(url, 'POST', '/api/auth/login', {
      body: { username, password: PASSWORD },
      headers,
    });
    return { token: body.data.token, refreshToken: body.data.refresh_token };
  };
  return {
    at: (minutes: number) => new Date(begun + minutes * MINUTE).toISOString(),
    ask: Object.assign(ask, { url }),
    signIn,
    passTime,
    account: await newAccount(url),
    other: await newAccount(url),
  };
}
