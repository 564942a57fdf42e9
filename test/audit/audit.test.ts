import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import {
  disableAccount,
  enableAccount,
  endSessionsOfAccount,
  setRole,
} from '../../src/accounts/administer.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { newKeyText, parseKey } from '../../src/services/sealing/key.ts';
import { generateKey } from '../../src/sessions/keys.ts';
import { addSigningKey, revokeSigningKey } from '../../src/sessions/signing-keys.ts';
import { readOperation } from '../../src/store/operation.ts';
import { type Answer, type CallOptions, call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine, type TestEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { linksOf } from '../support/list.ts';
import { startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';
import { untilThere } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const SECOND = 1_000;
const NEW_PASSWORD = 'a better horse battery';
const FROM = '203.0.113.7';

const readTrail = readOperation('test.read_trail', (db, _: null) =>
  db.selectFrom('audit_events').selectAll().orderBy('id').execute(),
);

onEveryEngine('The audit trail', (engine) => {
  it('An event has who, from where, when and the request id of the answer, and no secret', async (t) => {
    const { ask, store, sealing, log, now, events, expect, expected } = await start(t, engine);
    const ada = { username: newName(), email: `${newName()}@example.org`, password: PASSWORD };
    const logIn = (username: string, password: string) =>
      ask('POST', '/api/auth/login', { body: { username, password } });

    const registered = await ask('POST', '/api/auth/register', { body: ada });
    const account = { id: registered.body.data.id, username: ada.username };
    expect('registered', registered, { account });

    const first = await logIn(ada.email, PASSWORD);
    expect('signed_in', first, { account, actor: account, session_id: sessionOf(first) });
    expect('sign_in_failed', await logIn(ada.username, 'almost right'), { account });
    // As people do who type their password one field too early.
    expect('sign_in_failed', await logIn('my other passphrase', PASSWORD), {});
    const loggedOut = await ask('POST', '/api/auth/logout', { token: first.body.data.token });
    expect('signed_out', loggedOut, { account, actor: account, session_id: sessionOf(first) });

    const second = await logIn(ada.username, PASSWORD);
    expect('signed_in', second, { account, actor: account, session_id: sessionOf(second) });
    const refresh = (token: string) => ask('POST', '/api/auth/refresh', { token });
    const third = await refresh(second.body.data.refresh_token);
    const fourth = await refresh(third.body.data.refresh_token);
    assert.equal(fourth.status, 200);
    const reused = await refresh(second.body.data.refresh_token);
    assertFailure(reused, 401, 'token_revoked');
    expect('token_reused', reused, { account, session_id: sessionOf(second) });

    const again = await logIn(ada.username, PASSWORD);
    const who = { account, actor: account, session_id: sessionOf(again) };
    expect('signed_in', again, who);
    const body = { current_password: 'almost right', new_password: NEW_PASSWORD };
    const { token } = again.body.data;
    expect('sign_in_failed', await ask('POST', '/api/auth/password', { token, body }), { account });
    body.current_password = PASSWORD;
    expect('password_changed', await ask('POST', '/api/auth/password', { token, body }), who);
    for (const username of [newName(), ada.username])
      expect('username_changed', await ask('PUT', '/api/users/me', { token, body: { username } }), who);
    const answer = await ask('POST', '/api/auth/password/forgotten', { body: { email: ada.email } });
    expect('password_reset_requested', answer, { account });
    await ask('POST', '/api/auth/password/forgotten', { body: { email: 'nobody@example.org' } });
    const link = await linkIn(log);
    const chosen = { token: link, new_password: PASSWORD };
    expect('password_reset', await ask('POST', '/api/auth/password/reset', { body: chosen }), { account });
    assertFailure(await ask('POST', '/api/auth/password/reset', { body: chosen }), 400, 'link_invalid');

    await store.write(setRole, { account: ada.email, role: 'editor', now: now() });
    expect('role_changed', null, { account, detail: { from: 'member', to: 'editor' } });
    await store.write(disableAccount, { account: ada.email, now: now() });
    expect('account_disabled', null, { account });
    expect('sign_in_failed', await logIn(ada.username, PASSWORD), { account });
    await store.write(enableAccount, { account: ada.email, now: now() });
    expect('account_enabled', null, { account });
    const admin = { ...ADA, username: newName(), email: `${newName()}@example.org`, role: 'admin' } as const;
    const { id } = await store.write(createAccount, { ...admin, now: now() });
    expect('admin_created', null, { account: { id, username: admin.username } });
    const last = await logIn(ada.username, PASSWORD);
    expect('signed_in', last, { account, actor: account, session_id: sessionOf(last) });
    await store.write(endSessionsOfAccount, { account: ada.email, now: now() });
    expect('sessions_ended', null, { account, detail: { sessions: '1', because: 'operator' } });
    const key = await generateKey(sealing, now());
    assert.ok(await store.write(addSigningKey, key));
    expect('signing_key_added', null, { detail: { kid: key.kid } });
    const successor = await generateKey(sealing, now());
    await store.write(revokeSigningKey, { kid: key.kid, successor, now: successor.created_at });
    expect('signing_key_added', null, { detail: { kid: successor.kid } });
    expect('signing_key_removed', null, { detail: { kid: key.kid } });
    await sealing.reseal(store, parseKey(newKeyText()), now());
    expect('sealing_key_changed', null, {});

    assert.deepEqual(await events(), expected);
    const trail = JSON.stringify(await store.read(readTrail, null));
    const tokens = [first, second, third, fourth].flatMap(({ body }) => [
      body.data.token,
      body.data.refresh_token,
    ]);
    for (const secret of [
      PASSWORD,
      NEW_PASSWORD,
      'almost right',
      'my other',
      ...tokens,
      link,
      'argon2',
      '"d"',
      ada.email,
    ])
      assert.ok(!trail.includes(secret), `${secret} in ${trail}`);
  });

  it('A request that changes nothing leaves no event', async (t) => {
    const { ask, store, root, now, total } = await start(t, engine);
    const before = await total();
    const taken = { username: root.username, email: 'other@example.org', password: PASSWORD };
    assertFailure(await ask('POST', '/api/auth/register', { body: taken }), 400, 'taken');
    await store.write(setRole, { account: root.username, role: 'admin', now: now() });
    await store.write(enableAccount, { account: root.username, now: now() });
    await assert.rejects(store.write(disableAccount, { account: root.username, now: now() }));
    assertFailure(await ask('POST', '/api/auth/refresh', { token: root.token }), 401, 'token_invalid');
    assert.equal((await ask('POST', '/api/auth/refresh', { token: root.refreshToken })).status, 200);
    assert.equal(await total(), before);
  });

  it('A replayed token and an ended session leave one event each, even for 16 requests at once', async (t) => {
    const { ask, root, total } = await start(t, engine);
    const login = async () => {
      const body = { username: root.username, password: PASSWORD };
      return (await ask('POST', '/api/auth/login', { body })).body.data;
    };
    const session = await login();
    const refresh = (token: string) => ask('POST', '/api/auth/refresh', { token });
    const next = (await refresh(session.refresh_token)).body.data;
    await refresh(next.refresh_token);
    const reuses = await Promise.all(Array.from({ length: 16 }, () => refresh(session.refresh_token)));
    for (const each of reuses) assertFailure(each, 401, 'token_revoked');
    assert.equal(await total('?event=token_reused'), 1);
    const { token } = await login();
    await Promise.all(Array.from({ length: 16 }, () => ask('POST', '/api/auth/logout', { token })));
    assert.equal(await total('?event=signed_out'), 1);
  });

  it('The audit trail is listed newest first, in pages, with an exact total and filters', async (t) => {
    const { ask, store, root, total } = await start(t, engine);
    const ids: number[] = [];
    for (let person = 0; person < 25; person++) {
      const account = { ...ADA, username: `person${person}`, email: `${person}@example.org`, now: NOW };
      ids.unshift((await store.write(createAccount, account)).id);
    }
    ids.push(root.id);
    const list = (query: string) => ask('GET', `/api/audit${query}`, { token: root.token });
    const seen: number[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { body } = await list(`?event=registered&per_page=10&page=${page}`);
      assert.deepEqual([body.data.total, body.data.page, body.data.per_page], [26, page, 10]);
      seen.push(...body.data.items.map((item: { account: { id: number } }) => item.account.id));
    }
    assert.deepEqual(seen, ids);
    const { headers } = await list('?event=registered&per_page=10&page=2');
    assert.equal(linksOf(headers).next, '/api/audit?event=registered&per_page=10&page=3');
    assert.equal(linksOf(headers).last, '/api/audit?event=registered&per_page=10&page=3');

    const [ofRoot] = [(await list(`?account=${root.id}`)).body.data.items];
    assert.deepEqual(
      ofRoot.map((item: { event: string }) => item.event),
      ['role_changed', 'signed_in', 'registered'],
    );
    assert.equal(await total(`?account=${root.id}&event=signed_in`), 1);
    assert.equal(await total(`?account=${ids[0]}&event=signed_in`), 0);
    assert.equal(await total('?account=9007199254740991'), 0);
    assert.equal((await list('?page=9007199254740991&per_page=100')).body.data.items.length, 0);
    assertFailure(await list('?event=signed'), 400, 'validation_failed', { field: 'event', rule: 'enum' });
    assertFailure(await list('?account=0'), 400, 'validation_failed', { field: 'account' });
    assertFailure(await list('?account=1e1'), 400, 'validation_failed', { field: 'account' });
  });
});

/** A service whose clock stands still but for a second before each request, with an admin who reads the trail. */
async function start(t: TestContext, engine: TestEngine) {
  let clock = NOW;
  const now = () => {
    clock += SECOND;
    return clock;
  };
  const service = await startService(
    t,
    engine,
    { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'log' },
    { clock: () => clock },
  );
  const { url, store, log } = service;
  const root = await newAccount(url);
  await store.write(setRole, { account: root.username, role: 'admin', now: clock });
  const ask = (method: string, path: string, options: CallOptions = {}) => {
    now();
    return call(url, method, path, { ...options, headers: { 'x-forwarded-for': `6.6.6.6, ${FROM}` } });
  };
  const read = async (query: string) =>
    (await call(url, 'GET', `/api/audit${query}`, { token: root.token })).body.data;
  const { total: earlier } = await read('');
  const expected: object[] = [];
  return {
    store,
    log,
    sealing: service.sealing,
    root,
    ask,
    now,
    expected,
    /** What just happened, as the list has to show it. */
    expect: (event: string, answer: Answer | null, more: object) => {
      const from = answer && { address: FROM, request_id: answer.headers.get('x-request-id') };
      expected.unshift({ at: new Date(clock).toISOString(), event, ...from, detail: {}, times: 1, ...more });
    },
    /** All events since then, without their ids. */
    events: async () => {
      const { items, total } = await read('?per_page=100');
      return items.slice(0, total - earlier).map(({ id: _, ...rest }: { id: number }) => rest);
    },
    total: async (query = ''): Promise<number> => (await read(query)).total,
  };
}

/** The token of the link in the mail that the service prints. */
function linkIn(log: readonly string[]): Promise<string> {
  return untilThere(() => /#token=(stoa_pr_[\w-]+)/.exec(log.join(''))?.[1], 'the log has the mail');
}

function sessionOf({ body }: Answer): string {
  return JSON.parse(Buffer.from(body.data.token.split('.')[1], 'base64url').toString()).sid;
}
