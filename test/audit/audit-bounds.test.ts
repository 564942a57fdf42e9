import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import type { EventName } from '../../src/services/audit/events.ts';
import { recordFailedSignIn } from '../../src/services/audit/failed-sign-in.ts';
import { startSession } from '../../src/sign-in/login.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, login, newAccount, newName, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine, onOneEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { recordOne } from '../support/operations.ts';
import { newWithRole } from '../support/people.ts';
import { execute } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { ADA, openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

const HOUR = 3_600_000;
/** The last hour of 2029, so that a flood of a minute is within one. */
const NOW = Date.UTC(2030, 0, 1) - HOUR;
const AT_ONCE = 50;

const readFailures = readOperation('test.read_failures', (db, _: null) =>
  db.selectFrom('audit_events').selectAll().where('event', '=', 'sign_in_failed').orderBy('id').execute(),
);

const eventsOf = readOperation(
  'test.events_of',
  (db, { accountId, from }: { accountId: number; from: EventName }) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('event', '=', from)
      .orderBy('id')
      .execute(),
);

const sessionsOf = readOperation('test.sessions_of', async (db, userId: number) => {
  const rows = await db.selectFrom('sessions').select('ended_at').where('user_id', '=', userId).execute();
  const ended = rows.filter(({ ended_at }) => ended_at !== null).length;
  return { ended, living: rows.length - ended };
});

const hashOf = readOperation('test.hash_of', async (db, id: number) => {
  const row = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.password_hash;
});

onEveryEngine('Failed sign-ins', (engine) => {
  it('Failed sign-ins of one account from one source are counted exactly in 21 rows an hour', async (t) => {
    const { url, store } = await startService(t, engine, {}, { clock: () => NOW });
    const [{ id }, other] = [await newAccount(url), await newAccount(url)];
    const one = (accountId: number, source: string, at = NOW) =>
      store.write(recordFailedSignIn, { accountId, at, origin: originFrom(source) });
    for (let done = 0; done < 1_000; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => one(id, '2001:db8::/64')));
    const rows = await store.read(readFailures, null);
    assert.ok(rows.length <= 21, `${rows.length} rows`);
    assert.equal(timesOf(rows), 1_000);
    await one(id, '2001:db8:0:1::/64');
    await one(other.id, '2001:db8::/64');
    await one(id, '2001:db8::/64', NOW + HOUR);
    const others = (await store.read(readFailures, null)).slice(rows.length);
    assert.deepEqual(
      others.map(({ account_id, times, request_id }) => [account_id, times, request_id]),
      [
        [id, 1, '2001:db8:0:1::/64 asks'],
        [other.id, 1, '2001:db8::/64 asks'],
        [id, 1, '2001:db8::/64 asks'],
      ],
      'another source, another account and another hour have rows of their own',
    );
  });

  it('Failed sign-ins from many sources are counted exactly in 1,001 rows, and hide none of an account', async (t) => {
    const database = await sameDatabase(t, engine);
    const { url, store } = await startService(t, database, {}, { clock: () => NOW });
    const { id } = await newAccount(url);
    // 990 sources that failed once each in this hour, in the words of the slots of such failures.
    await runOn(
      t,
      database,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 990)
       INSERT INTO audit_events (at, event, detail, slot)
       SELECT ${NOW}, 'sign_in_failed', '{}', '${NOW / HOUR} sign_in_failed nobody fc00:' || i || '::/64 - 0' FROM n`,
    );
    const fail = (accountId: number | null, source: string) =>
      store.write(recordFailedSignIn, { accountId, at: NOW, origin: originFrom(source) });
    for (let index = 0; index < 30; index++) await fail(null, `10.0.0.${index}`);
    const rows = await store.read(readFailures, null);
    assert.equal(rows.length, 1_001);
    assert.equal(timesOf(rows), 1_020);
    const { account_id, address, request_id, times } = rows.at(-1) ?? {};
    assert.deepEqual([account_id, address, request_id, times], [null, null, null, 20]);
    await fail(id, '10.0.0.1');
    assert.deepEqual((await store.read(readFailures, null)).at(-1)?.account_id, id);
  });

  it('A failed sign-in stores no text that a client claimed as its address', async (t) => {
    const { store } = await startService(t, engine, {}, { clock: () => NOW });
    const claims = ['<script>', `fe80::1%${'x'.repeat(5_000)}`, '203.0.113.7', '::ffff:203.0.113.7'];
    for (const address of claims) {
      const origin = { address, source: 'unknown', requestId: 'r' };
      await store.write(recordFailedSignIn, { accountId: null, at: NOW, origin });
    }
    const kept = (await store.read(readFailures, null)).map(({ address }) => address);
    assert.deepEqual(kept, ['unknown', `fe80::1%${'x'.repeat(56)}`, '203.0.113.7', '::ffff:203.0.113.7']);
  });
});

onEveryEngine('Successful sign-ins', (engine) => {
  const startBusy = async (t: TestContext) => {
    const settings = { SESSION_LIMIT: '3' };
    const service = await startService(t, engine, settings, { clock: () => NOW });
    const { url, store } = service;
    const account = await newAccount(url);
    const checkedHash = (await store.read(hashOf, account.id)) ?? '';
    let number = 0;
    const signIn = (source: string, at = NOW) => {
      number++;
      const session = { sessionId: `${source} ${number}`, tokenHash: '', userId: account.id, checkedHash };
      const now = at + number;
      return store.write(startSession, { ...session, most: 3, now, origin: originFrom(source) });
    };
    return { service, url, store, account, signIn };
  };

  it('Successful sign-ins of one member leave 50 ended sessions and few rows that count exactly', async (t) => {
    const { url, store, account, signIn } = await startBusy(t);
    for (let each = 0; each < 120; each++) assert.equal(await signIn('198.51.100.7'), true);
    const { ended, living } = await store.read(sessionsOf, account.id);
    assert.deepEqual([living, ended <= 51], [3, true], `${ended} sessions have ended`);
    const rows = await store.read(eventsOf, { accountId: account.id, from: 'signed_in' });
    const flood = rows.filter(({ address }) => address !== '127.0.0.1');
    assert.deepEqual([flood.length, timesOf(flood)], [21, 120]);
    const making = await store.read(eventsOf, { accountId: account.id, from: 'sessions_ended' });
    assert.deepEqual([making.length, timesOf(making)], [21, 118]);

    // Its session has ended and is gone, which is answered as an end.
    assertFailure(await refresh(url, account.refreshToken), 401, 'token_revoked');
    assertFailure(await call(url, 'GET', '/api/users/me', { token: account.token }), 401, 'token_revoked');
    const { token } = await login(url, account.username);
    assert.equal((await call(url, 'GET', '/api/users/me', { token })).status, 200);
    await signIn('203.0.113.9');
    await signIn('198.51.100.7', NOW + HOUR);
    const others = (await store.read(eventsOf, { accountId: account.id, from: 'signed_in' })).slice(-3);
    assert.deepEqual(
      others.map(({ times, request_id }) => [times, request_id?.endsWith(' asks')]),
      [
        [1, false],
        [1, true],
        [1, true],
      ],
      'another source and another hour have rows of their own',
    );
  });

  it('Successful sign-ins from many sources have 100 rows an hour, and hide nothing of other users', async (t) => {
    const { service, url, store, account, signIn } = await startBusy(t);
    for (let each = 0; each < 120; each++) await signIn(`10.0.0.${each}`);
    const rows = await store.read(eventsOf, { accountId: account.id, from: 'signed_in' });
    assert.deepEqual([rows.length, timesOf(rows)], [101, 121]);
    const { address, session_id, account_id, times } = rows.at(-1) ?? {};
    assert.deepEqual([address, session_id, account_id, times], [null, null, account.id, 21]);
    const admin = await newWithRole(service, 'admin');
    const before = await store.read(eventsOf, { accountId: account.id, from: 'sessions_ended' });
    for (let each = 0; each < 3; each++) {
      await signIn('10.0.0.1');
      const ended = await call(url, 'DELETE', `/api/users/${account.id}/sessions`, { token: admin.token });
      assert.equal(ended.status, 200);
    }
    const after = await store.read(eventsOf, { accountId: account.id, from: 'sessions_ended' });
    assert.deepEqual(
      after.slice(before.length).map(({ actor_id, times }) => [actor_id, times]),
      Array(3).fill([admin.id, 1]),
    );
  });
});

onOneEngine('What an owner can do without end', (engine) => {
  it('Each event that an owner can cause without end has 21 rows an hour at most, which count exactly', async (t) => {
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
    const { id: accountId } = await store.write(createAccount, ADA);
    const times = Array.from({ length: 120 });
    for (const event of [
      'signed_in',
      'proof_accepted',
      'signed_out',
      'session_revoked',
      'sessions_ended',
      'account_closed',
      'account_restored',
      'token_reused',
    ] as const) {
      const one = { event, at: NOW, origin: originFrom('198.51.100.7'), accountId };
      await Promise.all(times.map(() => store.write(recordOne, one)));
      const rows = await store.read(eventsOf, { accountId, from: event });
      assert.ok(rows.length <= 21, `${event}: ${rows.length} rows`);
      assert.equal(timesOf(rows), 120, event);
    }
  });
});

onEveryEngine('A change whose event cannot be written', (engine) => {
  it('A change whose event cannot be written is not made', async (t) => {
    const database = await sameDatabase(t, engine);
    const { url } = await startService(t, database);
    const sql = (text: string) => runOn(t, database, text);
    const { username, token, refreshToken } = await newAccount(url);
    const state = () =>
      sql(
        'SELECT users.id AS account, sessions.id, ended_at FROM users LEFT JOIN sessions ON user_id = users.id ORDER BY 1, 2',
      );
    const second = await login(url, username);
    const next = await call(url, 'POST', '/api/auth/refresh', { token: second.refreshToken });
    await call(url, 'POST', '/api/auth/refresh', { token: next.body.data.refresh_token });
    const before = await state();
    const newcomer = newName();
    const attempts = () => [
      call(url, 'POST', '/api/auth/register', {
        body: { username: newcomer, email: `${newcomer}@example.org`, password: PASSWORD },
      }),
      call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } }),
      call(url, 'POST', '/api/auth/login', { body: { username, password: 'not the password' } }),
      call(url, 'POST', '/api/auth/refresh', { token: second.refreshToken }),
      call(url, 'POST', '/api/auth/logout', { token }),
    ];
    await sql('ALTER TABLE audit_events RENAME TO audit_events_away');
    const refused = await Promise.all(attempts());
    assert.deepEqual(
      refused.map(({ status }) => status),
      [500, 500, 500, 500, 500],
    );
    assert.deepEqual(await state(), before);
    assert.equal((await call(url, 'POST', '/api/auth/refresh', { token: refreshToken })).status, 200);
    await sql('ALTER TABLE audit_events_away RENAME TO audit_events');
    const made = await Promise.all(attempts());
    assert.deepEqual(
      made.map(({ status }) => status),
      [200, 200, 401, 401, 200],
    );
  });
});

function originFrom(source: string) {
  return { address: '203.0.113.7', source, requestId: `${source} asks` };
}

function timesOf(rows: readonly { times: number }[]): number {
  return rows.reduce((sum, { times }) => sum + times, 0);
}

/** Runs a statement beside the service, as an operator would. */
async function runOn(t: TestContext, { settings }: TestEngine, text: string): Promise<object[]> {
  const { DATABASE_URL, DATA_DIR = '' } = await settings(t);
  if (DATABASE_URL !== undefined) return execute(DATABASE_URL, text);
  const file = new DatabaseSync(join(DATA_DIR, 'stoa.db'), { timeout: 240_000 });
  try {
    return file.prepare(text).all();
  } finally {
    file.close();
  }
}
