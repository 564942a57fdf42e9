// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ROW_LIMITS } from '../../src/domain/limits.ts';
import type { LockName } from '../../src/domain/lock-names.ts';
import { OPERATIONS } from '../../src/operations.ts';
import type { WriteOperation } from '../../src/store/operation.ts';
import { Authenticator, SITE } from '../support/authenticator.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { follow, registerAs } from '../support/email.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { logInWith } from '../support/passkeys.ts';
import { newWithRole } from '../support/people.ts';
import { connect, execute } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
/** Refusals are counted by the hour of the clock, and no hour begins in a test. */
const NOW = Date.UTC(2030, 0, 1);

describe('Writes of one account on PostgreSQL', () => {
  it('Changes of one account that wait for a row hold three of ten connections, and others read, write and sign in', async (t) => {
    const { service, hold, waiting } = await start(t);
    const { url } = service;
    const [{ token }, other] = [await newAccount(url), await newAccount(url)];
    const [own, ofOther] = [await newItem(url, token), await newItem(url, other.token)];
    const release = await hold(`select id from content where id = ${own.id} for update`);

    const change = (by: string, id: number) =>
      call(url, 'PUT', `/api/content/${id}`, { token: by, body: { title: 'changed' } });
    const changes = Array.from({ length: 20 }, () => change(token, own.id));
    await until(async () => (await waiting()) === 3, 'three changes wait for the row');
    const answers = await Promise.all([
      call(url, 'GET', `/api/content/${ofOther.id}`),
      change(other.token, ofOther.id),
      signIn(url, other.username),
    ]);
    assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200, 200], 3]);
    await release();
    assert.deepEqual(new Set((await Promise.all(changes)).map(({ status }) => status)), new Set([200]));
  });

  it('Changes of several accounts that wait for rows hold half of the connections, and others read and sign in', async (t) => {
    const { service, hold, waiting } = await start(t);
    const { url } = service;
    const owners = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { token } = await newAccount(url);
        return { token, id: (await newItem(url, token)).id };
      }),
    );
    const other = await newAccount(url);
    const release = await hold('select id from content for update');
    const changes = owners.flatMap(({ token, id }) =>
      [1, 2, 3].map((title) =>
        call(url, 'PUT', `/api/content/${id}`, { token, body: { title: `${title}` } }),
      ),
    );
    await until(async () => (await waiting()) >= 5, 'as many changes as may wait for the rows');
    const answers = await Promise.all([
      call(url, 'GET', `/api/content/${owners[0]?.id}`),
      signIn(url, other.username),
    ]);
    assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200], 5]);
    await release();
    assert.deepEqual(new Set((await Promise.all(changes)).map(({ status }) => status)), new Set([200]));
  });

  it('Sign-ins of one account that wait for it hold one of ten connections, and others read, write and sign in', async (t) => {
    const { service, hold, waiting } = await start(t);
    const { url } = service;
    const [{ id, username }, other] = [await newAccount(url), await newAccount(url)];
    const item = await newItem(url, other.token);
    const release = await hold(`select id from users where id = ${id} for update`);
    const signIns = Array.from({ length: 20 }, () => signIn(url, username));
    await until(async () => (await waiting()) > 0, 'a sign-in waits for its account');
    const answers = await Promise.all([
      call(url, 'GET', `/api/content/${item.id}`),
      call(url, 'PUT', `/api/content/${item.id}`, { token: other.token, body: { title: 'changed' } }),
      signIn(url, other.username),
    ]);
    assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200, 200], 1]);
    await release();
    assert.deepEqual(new Set((await Promise.all(signIns)).map(({ status }) => status)), new Set([200]));
  });

  for (const [what, most, send, statuses] of [
    [
      'Requests of one admin to close the account',
      1,
      (url: string, token: string) => call(url, 'DELETE', '/api/users/me', { token }),
      [200, 401],
    ],
    [
      'Changes of accounts by one admin',
      3,
      (url: string, token: string, id: number) =>
        call(url, 'PUT', `/api/users/${id}`, { token, body: { disabled: false } }),
      [200],
    ],
  ] as const)
    it(`${what} wait on few of ten connections, and others read and sign in`, async (t) => {
      const { service, hold, waiting } = await start(t);
      const { url } = service;
      await newWithRole(service, 'admin');
      const [{ token }, other] = [await newWithRole(service, 'admin'), await newAccount(url)];
      const release = await hold(lock('admins'));
      const requests = Array.from({ length: 20 }, () => send(url, token, other.id));
      await until(async () => (await waiting()) >= most, 'requests wait for the lock');
      const answers = await Promise.all([
        call(url, 'GET', '/api/users/me', { token: other.token }),
        signIn(url, other.username),
      ]);
      assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200], most]);
      await release();
      const seen = new Set((await Promise.all(requests)).map(({ status }) => status));
      assert.deepEqual(seen, new Set(statuses));
    });

  it('A member closes the account while a change by an admin is under way', async (t) => {
    const { service, hold } = await start(t);
    const { token } = await newAccount(service.url);
    const release = await hold(lock('admins'));
    assert.equal((await call(service.url, 'DELETE', '/api/users/me', { token })).status, 200);
    await release();
  });

  it('A request to close the account without a recent sign-in is refused while another write holds the lock', async (t) => {
    const { service, hold, waiting } = await start(t);
    const { url } = service;
    const { token } = await newWithRole(service, 'admin');
    service.passTime(10 * MINUTE);
    const release = await hold(lock('admins'));
    const refused = await call(url, 'DELETE', '/api/users/me', { token });
    assertFailure(refused, 403, 'recent_sign_in_required');
    assert.equal(await waiting(), 0);
    await release();
  });
});

it('Invented links are refused at once while another write proves an address on PostgreSQL, and others sign in', async (t) => {
  const { service, hold, waiting } = await start(t);
  const { url } = service;
  const { username } = await newAccount(url);
  const release = await hold(lock('proving addresses'));
  const invented = (['verify', 'confirm', 'revert'] as const).flatMap((what) =>
    Array.from({ length: 10 }, (_, index) => follow(url, what, `stoa_el_${index}`)),
  );
  for (const answer of await Promise.all(invented)) assertFailure(answer, 400, 'link_invalid');
  assert.deepEqual([(await signIn(url, username)).status, await waiting()], [200, 0]);
  await release();
});

it('Resent links that wait hold one of ten connections for a source, others read, and each wrong password is counted', async (t) => {
  const settings = { SMTP_URL: 'log', EMAIL_VERIFICATION: 'required' };
  const { service, hold, waiting, inTurn } = await start(t, settings);
  const { url } = service;
  const { username, email } = await registerAs(url);
  const release = await hold(lock('pending registrations'));
  const body = { username, email };
  const resent = Array.from({ length: 30 }, () => call(url, 'POST', '/api/auth/register/resend', { body }));
  await until(async () => (await waiting()) > 0, 'a request waits for the lock');
  assert.equal((await call(url, 'GET', '/api/content')).status, 200);
  const wrong = { username, password: 'a wrong password' };
  assertFailure(await call(url, 'POST', '/api/auth/login', { body: wrong }), 401, 'bad_credentials');
  assert.equal(await waiting(), 1);
  assert.equal(inTurn(), resent.length - 1);
  await release();
  assert.deepEqual(new Set((await Promise.all(resent)).map(({ status }) => status)), new Set([200]));
});

it('Wrong passwords of one source hold one of ten connections, others read and sign in, and none is given up', async (t) => {
  const { service, hold, waiting, inTurn } = await start(t);
  const { url } = service;
  const other = await newAccount(url);
  const guess = (index: number) => signIn(url, `invented-${index}`, 'a wrong password');
  assertFailure(await guess(0), 401, 'bad_credentials');
  const release = await hold('select key from guess_debts for update');
  const guesses = Array.from({ length: 30 }, (_, index) => guess(index + 1));
  await until(async () => (await waiting()) + inTurn() >= guesses.length, 'all wait to be counted');
  const answers = await Promise.all([
    call(url, 'GET', '/api/users/me', { token: other.token }),
    signIn(url, other.username),
  ]);
  assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200], 1]);
  await release();
  for (const answer of await Promise.all(guesses)) assertFailure(answer, 401, 'bad_credentials');
});

it('Of two connections a change and an own write of one account hold one, and others read', async (t) => {
  const { service, hold, waiting } = await start(t, { DATABASE_POOL: '2' });
  const { url } = service;
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token);
  const release = await hold(`select id from content where id = ${id} for update`);
  const change = call(url, 'PUT', `/api/content/${id}`, { token, body: { title: 'changed' } });
  await until(async () => (await waiting()) === 1, 'the change waits');
  const own = call(url, 'POST', '/api/auth/logout', { token });
  assert.equal((await call(url, 'GET', '/api/content')).status, 200);
  await release();
  assert.deepEqual([(await change).status, (await own).status], [200, 200]);
});

/** Writes without an asker that no request causes. Jobs run one at a time, and an operator waits for each command. */
const OF_NO_REQUEST: readonly string[] = [
  // Commands of the operator.
  'accounts.disable',
  'accounts.enable',
  'accounts.end_sessions',
  'accounts.set_role',
  'audit.begin_transfer',
  'audit.tell_transferred',
  'factors.reset_second_factors',
  'passwords.begin_operator_reset',
  'passwords.set_password',
  'sealing.reseal_all',
  'sealing.seal_unsealed',
  'sessions.end_some_pending',
  'sessions.end_some_sessions',
  'sessions.revoke_signing_key',
  'transfer.import_accounts',
  'transfer.import_items',
  // The start of an instance.
  'changes.add_reader',
  'changes.remove_reader',
  'sealing.keep_check',
  'sealing.keep_secret',
  'sessions.keep_first_signing_key',
  'setup.keep_link',
  // Jobs.
  'backups.claim',
  'backups.claim_sending',
  'backups.end',
  'backups.end_sending',
  'backups.extend_claim',
  'backups.extend_sending_claim',
  'drafts.publish_due',
  'sessions.add_signing_key',
  'sessions.remove_old_signing_keys',
];
/** Parts of other writes, which have an asker. */
const PARTS_OF_OTHERS: readonly string[] = ['limits.count_mistake', 'passwords.request_password_reset'];

it('Each transaction that a request causes says who asks for it, so that one asker has few of the connections', () => {
  const nameless = OPERATIONS.filter(isTransaction)
    .filter(({ askerOf }) => !askerOf)
    .map(({ name }) => name);
  assert.deepEqual(nameless.sort(), [...OF_NO_REQUEST, ...PARTS_OF_OTHERS].sort());
});

type AnyWrite = Pick<WriteOperation<never, unknown>, 'name' | 'askerOf'>;

function isTransaction(operation: { readonly name: string }): operation is AnyWrite {
  const { kind, isOneStatement, isBackground }: Partial<WriteOperation<never, unknown>> = operation;
  return kind === 'write' && !isOneStatement && !isBackground;
}

it('Refused passkeys of one source that wait for their row of the audit trail hold one of ten connections', async (t) => {
  const { service, hold, waiting } = await start(t, { PUBLIC_URL: SITE.origin });
  const { url } = service;
  const other = await newAccount(url);
  const refused = () => logInWith(url, new Authenticator().get({ challenge: 'invented' }));
  for (let times = 0; times <= ROW_LIMITS.failedSignIns.singly; times++)
    assertFailure(await refused(), 401, 'bad_credentials');
  const release = await hold(`select id from audit_events where event = 'passkey_refused' for update`);
  const requests = Array.from({ length: 50 }, refused);
  await until(async () => (await waiting()) > 0, 'a refusal waits for its row');
  const answers = await Promise.all([
    call(url, 'GET', '/api/users/me', { token: other.token }),
    signIn(url, other.username),
  ]);
  assert.deepEqual([answers.map(({ status }) => status), await waiting()], [[200, 200], 1]);
  await release();
  for (const answer of await Promise.all(requests)) assertFailure(answer, 401, 'bad_credentials');
});

/** The statement of `Engine.lock`. */
function lock(name: LockName): string {
  return `select pg_advisory_xact_lock(hashtextextended('stoa ${name}', 0))`;
}

/** A service with ten connections, and another connection that locks what its writes wait for. */
async function start(t: TestContext, settings: Record<string, string> = {}) {
  const engine = await sameDatabase(t, postgres);
  const service = await startService(t, engine, { DATABASE_POOL: '10', ...settings }, { clock: () => NOW });
  const { DATABASE_URL: database = '' } = await engine.settings(t);
  const holder = await connect(database);
  t.after(() => holder.end());
  /** Returns what ends the lock. */
  const hold = async (statement: string) => {
    await holder.query('begin');
    await holder.query(statement);
    return () => holder.query('rollback');
  };
  const waiting = async () => {
    const [row] = await execute<{ count: number }>(
      database,
      `select count(*)::int from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.count ?? 0;
  };
  /** Transactions of sign-ins and accounts that wait for their turn, and hold no connection. */
  const inTurn = () =>
    service.store
      .readings()
      .find(({ labels }) => Object.values(labels ?? {}).includes('exclusive_transaction'))?.value ?? 0;
  return { service, hold, waiting, inTurn };
}
