import assert from 'node:assert/strict';
import { it } from 'node:test';
import { crc32 } from 'node:zlib';
import { disableAccount, endSessionsOfAccount } from '../../src/accounts/administer.ts';
import { call, login, newAccount, newItem, refresh } from '../support/client.ts';
import { onEveryEngine, onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { spend } from '../support/sign-in.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const NOW = Date.UTC(2030, 0, 1);
/** Past the second within which every instance knows. */
const SOON = 1_000;
const DAY = 24 * 60 * 60_000;
const PATH = '/api/auth/tokens';
const FIND = 'sessions.find_personal_token';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

interface Shown {
  readonly id: string;
  readonly name: string;
}

onEveryEngine('Personal access tokens', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    it('A personal access token is recognised by its prefix, its length and its CRC-32', async () => {
      const { url } = service();
      const account = await newAccount(url);
      const tokens = [await newPersonalToken(url, account), await newPersonalToken(url, account)];
      for (const token of tokens) {
        assert.match(token, /^stoa_pat_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
        const checksum = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
        assert.equal(checksum, crc32(token.slice(0, -6)));
      }
      assert.equal(new Set(tokens).size, 2);
    });

    it('A personal access token has a name of 1 to 100 characters, a known scope, and 365 days at most', async () => {
      const { url } = service();
      const { token } = await newAccount(url);
      const good = { name: 'n', scope: 'read', expires_in_days: 1 };
      const wrong: [string, unknown][] = [
        ...['', 'x'.repeat(101), 5, null].map((name): [string, unknown] => ['name', name]),
        ...['admin', '', null].map((scope): [string, unknown] => ['scope', scope]),
        ...[0, 366, 1.5, '30', null].map((days): [string, unknown] => ['expires_in_days', days]),
      ];
      for (const [field, value] of wrong) {
        const answer = await call(url, 'POST', PATH, { token, body: { ...good, [field]: value } });
        assertFailure(answer, 400, 'validation_failed', { field });
      }
      for (const field of Object.keys(good)) {
        const answer = await call(url, 'POST', PATH, { token, body: { ...good, [field]: undefined } });
        assertFailure(answer, 400, 'validation_failed', { field, rule: 'required' });
      }
    });

    it('A personal access token acts as its account, with the rights of that account only', async () => {
      const { url } = service();
      const [owner, other] = [await newAccount(url), await newAccount(url)];
      const key = await newPersonalToken(url, owner);
      const item = await newItem(url, key);
      assert.deepEqual(item.author, { id: owner.id, username: owner.username });
      const foreign = await newItem(url, other.token);
      const path = `/api/content/${foreign.id}`;
      assertFailure(await call(url, 'DELETE', path, { token: key }), 403, 'forbidden');
      assert.equal((await call(url, 'GET', '/api/users/me', { token: key })).body.data.id, owner.id);
      assertFailure(await refresh(url, key), 401, 'token_invalid');
    });

    it('A personal access token is refused at once when its owner revokes it, and only the owner can', async () => {
      const { url } = service();
      const [owner, other] = [await newAccount(url), await newAccount(url)];
      const [key, kept] = [
        await newPersonalToken(url, owner, 'read', 'gone'),
        await newPersonalToken(url, owner, 'read', 'kept'),
      ];
      const me = (token: string) => call(url, 'GET', '/api/users/me', { token });
      assert.equal((await me(key)).status, 200);
      const { items } = (await call(url, 'GET', PATH, { token: owner.token })).body.data;
      const path = `${PATH}/${items.find(({ name }: Shown) => name === 'gone').id}`;
      assertFailure(await call(url, 'DELETE', path, { token: other.token }), 404, 'not_found');
      const asSession = path.replace('tokens', 'sessions');
      assertFailure(await call(url, 'DELETE', asSession, { token: owner.token }), 404, 'not_found');
      assert.equal((await me(key)).status, 200);
      assert.equal((await call(url, 'DELETE', path, { token: owner.token })).status, 200);
      assertFailure(await me(key), 401, 'token_revoked');
      assertFailure(await call(url, 'DELETE', path, { token: owner.token }), 404, 'not_found');
      const left = (await call(url, 'GET', PATH, { token: owner.token })).body.data;
      assert.deepEqual([left.total, left.items[0].name], [1, 'kept']);
      assert.equal((await me(kept)).status, 200);
      const session = `${PATH}/${sessionIdOf(owner.token)}`;
      assertFailure(await call(url, 'DELETE', session, { token: owner.token }), 404, 'not_found');
    });

    it('A personal access token is renamed only by its owner, and keeps its scope, end and secret', async () => {
      const { url } = service();
      const [owner, other] = [await newAccount(url), await newAccount(url)];
      const key = await newPersonalToken(url, owner);
      const list = async () => (await call(url, 'GET', PATH, { token: owner.token })).body.data.items;
      const [before] = await list();
      const put = (token: string, id: string, name = 'Nightly') =>
        call(url, 'PUT', `${PATH}/${id}`, { token, body: { name } });
      const renamed = await put(owner.token, before.id);
      assert.deepEqual(renamed.body.data, { ...before, name: 'Nightly' });
      assert.deepEqual(await list(), [renamed.body.data]);
      assert.equal((await call(url, 'GET', '/api/users/me', { token: key })).status, 200);
      assertFailure(await put(other.token, before.id, 'Mine now'), 404, 'not_found');
      const session = (await call(url, 'GET', '/api/auth/sessions', { token: owner.token })).body.data;
      assertFailure(await put(owner.token, session.items[0].id), 404, 'not_found');
      assert.deepEqual(await list(), [renamed.body.data]);
    });

    it('The name of a personal access token follows the rule for all display names, in NFC', async () => {
      const { url } = service();
      const { token } = await newAccount(url);
      const make = (name: string) =>
        call(url, 'POST', PATH, { token, body: { name, scope: 'read', expires_in_days: 1 } });
      for (const name of ['a\nb', 'a\u202eb', ' a', `a\u200db`, 'x'.repeat(101), ''])
        assertFailure(await make(name), 400, 'validation_failed', { field: 'name' });
      assert.equal((await make('Zoe\u0308 👩\u200d👧')).body.data.name, 'Zo\u00eb 👩\u200d👧');
    });

    it('An account has 50 personal access tokens at most, also when many are made at once', async () => {
      const { url } = service();
      const [owner, other] = [await newAccount(url), await newAccount(url)];
      const body = { name: 'n', scope: 'read', expires_in_days: 1 };
      const make = (token = owner.token) => call(url, 'POST', PATH, { token, body });
      const made = await Promise.all(Array.from({ length: 60 }, () => make()));
      assert.equal(made.filter(({ status }) => status === 200).length, 50);
      for (const answer of made) if (answer.status !== 200) assertFailure(answer, 400, 'limit_reached');
      assert.equal((await make(other.token)).status, 200);
      const { id } = made.find(({ status }) => status === 200)?.body.data ?? {};
      assert.equal((await call(url, 'DELETE', `${PATH}/${id}`, { token: owner.token })).status, 200);
      assert.deepEqual([(await make()).status, (await make()).status], [200, 400]);
    });

    it('A personal access token leaves an event when made and when revoked, without its name', async () => {
      const { url } = service();
      const admin = await newWithRole(service(), 'admin');
      const owner = await newAccount(url);
      await newPersonalToken(url, owner, 'read', 'my other passphrase');
      const { id } = (await call(url, 'GET', PATH, { token: owner.token })).body.data.items[0];
      await call(url, 'DELETE', `${PATH}/${id}`, { token: owner.token });
      const trail = await call(url, 'GET', `/api/audit?account=${owner.id}&per_page=2`, {
        token: admin.token,
      });
      const who = { id: owner.id, username: owner.username };
      assert.deepEqual(
        trail.body.data.items.map((item: Record<string, unknown>) => [
          item.event,
          item.account,
          item.actor,
          item.session_id,
          item.detail,
        ]),
        [
          ['personal_token_revoked', who, who, id, {}],
          ['personal_token_created', who, who, id, { scope: 'read' }],
        ],
      );
    });
  });

  describeInTurn(engine, 'as time passes', (service) => {
    it('A personal access token is shown once, and listed without its secret, newest first', async () => {
      const { url, now, passTime } = service();
      const begun = now();
      const [{ token }, other] = [await newAccount(url), await newAccount(url)];
      await newPersonalToken(url, other);
      const made: { id: string; token: string }[] = [];
      for (const [name, scope, expires_in_days] of [
        ['x', 'read', 1],
        ['Nightly export 中文 😀'.padEnd(98, '.'), 'write', 365],
        ['third', 'read', 30],
      ]) {
        passTime(SOON);
        const { status, body } = await call(url, 'POST', PATH, {
          token,
          body: { name, scope, expires_in_days },
        });
        assert.equal(status, 200, JSON.stringify(body));
        made.unshift(body.data);
      }
      const { data } = (await call(url, 'GET', `${PATH}?per_page=2`, { token })).body;
      assert.equal(data.total, 3);
      assert.deepEqual(
        data.items,
        made.slice(0, 2).map(({ token: _, ...shown }) => shown),
      );
      assert.deepEqual(data.items[0], {
        id: made[0]?.id,
        name: 'third',
        scope: 'read',
        created_at: new Date(begun + 3 * SOON).toISOString(),
        expires_at: new Date(begun + 3 * SOON + 30 * DAY).toISOString(),
      });
      const rest = (await call(url, 'GET', `${PATH}?per_page=2&page=2`, { token })).body.data;
      assert.deepEqual([rest.total, rest.items.length, rest.items[0].name], [3, 1, 'x']);
      assert.equal((await call(url, 'GET', `${PATH}?page=9`, { token })).body.data.total, 3);
    });

    it('A personal access token is made only with a recent sign-in, so a stolen access token makes none', async () => {
      const { url, passTime } = service();
      const { token, refreshToken } = await newAccount(url);
      const body = { name: 'n', scope: 'read', expires_in_days: 1 };
      const make = (by: string) => call(url, 'POST', PATH, { token: by, body });
      passTime(10 * 60_000 - 1);
      assert.equal((await make(token)).status, 200);
      passTime(1);
      assertFailure(await make(token), 403, 'recent_sign_in_required');
      const refreshed = (await refresh(url, refreshToken)).body.data.token;
      assertFailure(await make(refreshed), 403, 'recent_sign_in_required');
      assert.equal((await call(url, 'GET', PATH, { token })).body.data.total, 1);
    });

    it('A personal access token is refused within a second after another instance ended it', async () => {
      const { url, store, passTime } = service();
      const ends = [disableAccount, endSessionsOfAccount];
      for (const end of ends) {
        const owner = await newAccount(url);
        const key = await newPersonalToken(url, owner);
        await newItem(url, key);
        await store.write(end, { account: owner.username, now: Date.now() });
        // Not yet a second: who may write is read again inside the write.
        const body = { title: 't', content: 'c' };
        assertFailure(await call(url, 'POST', '/api/content', { token: key, body }), 401, 'token_revoked');
        passTime(SOON);
        assertFailure(await call(url, 'GET', '/api/users/me', { token: key }), 401, 'token_revoked');
      }
    });

    it('A personal access token ends exactly when its days are over', async () => {
      const { url, passTime } = service();
      const { token } = await newAccount(url);
      const { body } = await call(url, 'POST', PATH, {
        token,
        body: { name: 'n', scope: 'read', expires_in_days: 1 },
      });
      const me = () => call(url, 'GET', '/api/users/me', { token: body.data.token });
      passTime(DAY - SOON);
      assert.equal((await me()).status, 200);
      passTime(SOON);
      const refused = await me();
      assertFailure(refused, 401, 'token_revoked');
      assert.equal(
        refused.body.message,
        'This personal access token has expired or was revoked; make a new one.',
      );
    });

    it('A personal access token that has expired is in no list, and takes no place of the 50', async () => {
      const { url, passTime } = service();
      const owner = await newAccount(url);
      const body = { name: 'n', scope: 'read', expires_in_days: 1 };
      const make = (token: string) => call(url, 'POST', PATH, { token, body });
      const made = await Promise.all(Array.from({ length: 50 }, () => make(owner.token)));
      assert.ok(made.every(({ status }) => status === 200));
      passTime(DAY);
      const { token } = await login(url, owner.username);
      assert.equal((await call(url, 'GET', PATH, { token })).body.data.total, 0);
      assert.equal((await make(token)).status, 200);
    });

    it('An account makes 200 personal access tokens an hour at most', async () => {
      const { url, store, now, passTime } = service();
      const owner = await newAccount(url);
      const body = { name: 'n', scope: 'read', expires_in_days: 1 };
      const make = ({ token }: { readonly token: string }) => call(url, 'POST', PATH, { token, body });
      await spend(store, 'token_creation', { id: owner.id, times: 199, perHour: 200, now: now() });
      assert.equal((await make(owner)).status, 200);
      assertFailure(await make(owner), 429, 'too_many_requests');
      assert.equal((await make(await newAccount(url))).status, 200);
      passTime(18_000);
      assert.deepEqual([(await make(owner)).status, (await make(owner)).status], [200, 429]);
    });
  });

  it('A personal access token is no session: it takes no place of one and survives sign-ins', async (t) => {
    const { url, passTime } = await startService(t, engine, { SESSION_LIMIT: '1' }, { clock: () => NOW });
    const owner = await newAccount(url);
    const key = await newPersonalToken(url, owner);
    passTime(1);
    await newPersonalToken(url, owner);
    const me = async (token: string) => (await call(url, 'GET', '/api/users/me', { token })).status;
    assert.equal(await me(owner.token), 200, 'making one ends no session');
    passTime(1);
    const { token } = await login(url, owner.username);
    passTime(SOON);
    assert.deepEqual([await me(owner.token), await me(key)], [401, 200]);
    const sessions = (await call(url, 'GET', '/api/auth/sessions', { token })).body.data;
    assert.deepEqual([sessions.total, sessions.items.length], [1, 1]);
  });
});

onOneEngine('Personal access tokens that are wrong', (engine) => {
  it('A misspelled personal access token costs no query, and a well-made unknown one costs one', async (t) => {
    const operations: string[] = [];
    const wrap = (store: Parameters<typeof observed>[0]) =>
      observed(store, { before: (name) => operations.push(name) });
    const { url } = await startService(t, engine, {}, { wrap });
    const key = await newPersonalToken(url, await newAccount(url));
    const wrong = [
      key.slice(0, -1),
      `${key}0`,
      `${key}=`,
      key.toUpperCase(),
      key.replace('stoa_pat_', 'stoa_pat-'),
      key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'),
      key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21),
      `stoa_pat_${'0'.repeat(49)}`,
      'stoa_pat_',
    ];
    const me = (token: string) => call(url, 'GET', '/api/users/me', { token });
    for (const token of wrong) assertFailure(await me(token), 401, 'token_invalid');
    assert.deepEqual(
      operations.filter((name) => /\.find_(account|caller|personal_token)$/.test(name)),
      ['passwords.find_account', 'sessions.find_caller'],
      'those of the sign-in and of the request for the key',
    );
    assertFailure(await me(wellMade('0'.repeat(43))), 401, 'token_invalid');
    assert.equal(operations.filter((name) => name === FIND).length, 1);
    for (let each = 0; each < 3; each++) assert.equal((await me(key)).status, 200);
    assert.equal(operations.filter((name) => name === FIND).length, 2, 'a good one is looked up once');
  });
});

/** A token with these digits and a right checksum. */
function wellMade(digits: string): string {
  let [value, checksum] = [crc32(`stoa_pat_${digits}`), ''];
  for (; checksum.length < 6; value = Math.floor(value / 62)) checksum = DIGITS.charAt(value % 62) + checksum;
  return `stoa_pat_${digits}${checksum}`;
}
