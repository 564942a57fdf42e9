import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listEvents } from '../../src/audit/list.ts';
import { startSession } from '../../src/auth/login.ts';
import { createAccount } from '../../src/auth/register.ts';
import { recordFailedSignIn } from '../../src/services/audit/failed-sign-in.ts';
import { readOperation } from '../../src/store/operation.ts';
import { updateMe } from '../../src/users/update-me.ts';
import { SITE } from '../support/authenticator.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { newResetLink } from '../support/mail.ts';
import { passMinute } from '../support/minutes.ts';
import { newPasskey, passkeyLogin } from '../support/passkeys.ts';
import { beginTotp, challengeOf, complete, newGuarded, STEP } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { ADA, newCaller } from '../support/store.ts';

/** More than one write removes. */
const BACKLOG = 640;
const AT_ONCE = 40;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2030, 0, 1);

const countSessions = readOperation('test.count_sessions', async (db, _: null) => {
  const { count } = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
});

const expiries = readOperation('test.reset_expiries', (db, _: null) =>
  db.selectFrom('password_resets').select('expires_at').execute(),
);

const reservedNames = readOperation('test.reserved_names', (db, _: null) =>
  db.selectFrom('reserved_names').select('username_key').execute(),
);

const usedChallenges = readOperation('test.used_challenges', (db, _: null) =>
  db.selectFrom('used_challenges').select('expires_at').execute(),
);

const waiting = readOperation('test.second_factors', async (db, _: null) => ({
  challenges: await db.selectFrom('second_factor_challenges').select('expires_at').execute(),
  secrets: await db.selectFrom('totp_secrets').select('created_at').execute(),
}));

// One after another: a minute passes for all services of this process at once.
onEveryEngine('A running service', (engine) =>
  describe('removes what is old', { concurrency: 1 }, () => {
    it('removes all sessions that are long past their end within a minute, however many, and no other', async (t) => {
      const { url, store } = await startService(t, engine);
      const { token } = await newAccount(url);
      const { id: userId } = await store.write(createAccount, ADA);
      const begin = (session: string) =>
        store.write(startSession, {
          sessionId: session,
          tokenHash: '',
          userId,
          checkedHash: ADA.passwordHash,
          most: BACKLOG,
          now: 0,
          origin: null,
        });
      for (let done = 0; done < BACKLOG; done += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => begin(`past-${done + index}`)));
      assert.equal(await store.read(countSessions, null), BACKLOG + 1);
      passMinute();
      const deadline = performance.now() + 10_000;
      while ((await store.read(countSessions, null)) > 1) {
        assert.ok(performance.now() < deadline, `${await store.read(countSessions, null)} sessions are left`);
        await pause(20);
      }
      assert.equal((await call(url, 'GET', '/api/users/me', { token })).status, 200);
    });

    it('removes links to choose a new password by within a minute of their end, and no other', async (t) => {
      const service = await startService(t, engine, {}, { clock: () => NOW });
      const { store } = service;
      await newResetLink(service, { now: NOW });
      await newResetLink(service, { now: NOW + 1 });
      service.passTime(HOUR / 2);
      passMinute();
      const deadline = performance.now() + 10_000;
      while ((await store.read(expiries, null)).length > 1) {
        assert.ok(performance.now() < deadline, 'both are left');
        await pause(20);
      }
      assert.deepEqual(await store.read(expiries, null), [{ expires_at: NOW + 1 + HOUR / 2 }]);
    });

    it('frees names that were given up within a minute of the end of 30 days, and no other', async (t) => {
      const { store, passTime } = await startService(t, engine, {}, { clock: () => NOW });
      const caller = await newCaller(store);
      const origin = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
      for (const [index, username] of ['countess', 'lovelace'].entries())
        await store.write(updateMe, { caller, username, columns: {}, now: index, origin });
      passTime(30 * DAY - NOW);
      passMinute();
      const deadline = performance.now() + 10_000;
      while ((await store.read(reservedNames, null)).length > 1) {
        assert.ok(performance.now() < deadline, 'both are reserved still');
        await pause(20);
      }
      assert.deepEqual(await store.read(reservedNames, null), [{ username_key: 'countess' }]);
    });

    it('forgets used challenges of passkeys a minute after they would have expired, and not before', async (t) => {
      const settings = { PUBLIC_URL: SITE.origin };
      const { url, store, passTime } = await startService(t, engine, settings, { clock: () => NOW });
      const { authenticator } = await newPasskey(url, await newAccount(url));
      passTime(1);
      assert.equal((await passkeyLogin(url, authenticator)).status, 200);
      assert.equal((await store.read(usedChallenges, null)).length, 2);
      passTime(HOUR / 10 - 1);
      passMinute();
      const deadline = performance.now() + 10_000;
      while ((await store.read(usedChallenges, null)).length > 1) {
        assert.ok(performance.now() < deadline, 'both are left');
        await pause(20);
      }
      assert.deepEqual(await store.read(usedChallenges, null), [{ expires_at: NOW + 1 + HOUR / 12 }]);
    });

    it('removes challenges and secrets of apps that nobody completed within a minute of their end, and no other', async (t) => {
      const service = await startService(t, engine, {}, { clock: () => NOW });
      const { url, store, passTime } = service;
      const [{ username, code }, begun] = [await newGuarded(url, NOW), await newAccount(url)];
      await beginTotp(url, begun.token);
      await challengeOf(url, username);
      passTime(HOUR / 2);
      const { token } = await newAccount(url);
      await beginTotp(url, token);
      passTime(HOUR / 2);
      const challenge = await challengeOf(url, username);
      passMinute();
      const deadline = performance.now() + 10_000;
      const left = async () => Object.values(await store.read(waiting, null)).map((rows) => rows.length);
      while ((await left()).join() !== '1,2') {
        assert.ok(performance.now() < deadline, `${await left()} are left`);
        await pause(20);
      }
      assert.equal((await complete(url, challenge, code(HOUR / STEP))).status, 200);
      assert.deepEqual((await store.read(waiting, null)).secrets.map(({ created_at }) => created_at).sort(), [
        NOW,
        NOW + HOUR / 2,
      ]);
    });

    it('removes all events of the audit trail that are as old as AUDIT_DAYS within a minute, and no other', async (t) => {
      const service = await startService(t, engine, { AUDIT_DAYS: '90' }, { clock: () => NOW });
      const { store } = service;
      const origin = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
      const fail = (at: number) => store.write(recordFailedSignIn, { accountId: null, at, origin });
      for (let done = 0; done < BACKLOG; done += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => fail(NOW - (done + index) * HOUR)));
      await fail(NOW + 1);
      const failures = { page: 1, per_page: 100, event: 'sign_in_failed' } as const;
      assert.equal((await store.read(listEvents, failures)).total, BACKLOG + 1);
      service.passTime(90 * DAY);
      passMinute();
      const deadline = performance.now() + 10_000;
      while ((await store.read(listEvents, failures)).total > 1) {
        assert.ok(
          performance.now() < deadline,
          `${(await store.read(listEvents, failures)).total} events are left`,
        );
        await pause(20);
      }
      await pause(50);
      const { items } = await store.read(listEvents, failures);
      assert.deepEqual(
        items.map(({ at }) => at),
        [NOW + 1],
      );
    });
  }),
);
