import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { updateMe } from '../../src/accounts/update-me.ts';
import { listEvents } from '../../src/audit/list.ts';
import { recordFailedSignIn } from '../../src/services/audit/failed-sign-in.ts';
import { readOperation } from '../../src/store/operation.ts';
import { SITE } from '../support/authenticator.ts';
import { login, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { passMinute } from '../support/minutes.ts';
import { newPasskey, passkeyLogin } from '../support/passkeys.ts';
import { beginTotp, challengeOf, complete, newGuarded, STEP } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { newCaller } from '../support/store.ts';

/** More than one write removes. */
const BACKLOG = 640;
const AT_ONCE = 40;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2030, 0, 1);

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
onEveryEngine('Cleaning', (engine) =>
  describe('one after another', { concurrency: 1 }, () => {
    it('A name that was given up is free within a minute of the end of 30 days, and no other is', async (t) => {
      const { store, passTime } = await startService(t, engine, {}, { clock: () => 0 });
      const caller = await newCaller(store);
      const origin = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
      for (const [index, username] of ['countess', 'lovelace'].entries())
        await store.write(updateMe, { caller, username, columns: {}, now: index, origin });
      passTime(30 * DAY);
      passMinute();
      const elapsed = stopwatch();
      while ((await store.read(reservedNames, null)).length > 1) {
        assert.ok(elapsed() < 10_000, 'both are reserved still');
        await pause(20);
      }
      assert.deepEqual(await store.read(reservedNames, null), [{ username_key: 'countess' }]);
    });

    it('Used challenges of passkeys are removed a minute after their end, and not before', async (t) => {
      const settings = { PUBLIC_URL: SITE.origin };
      const { url, store, passTime } = await startService(t, engine, settings, { clock: () => NOW });
      const { authenticator } = await newPasskey(url, await newAccount(url));
      passTime(1);
      assert.equal((await passkeyLogin(url, authenticator)).status, 200);
      assert.equal((await store.read(usedChallenges, null)).length, 2);
      passTime(HOUR / 10 - 1);
      passMinute();
      const elapsed = stopwatch();
      while ((await store.read(usedChallenges, null)).length > 1) {
        assert.ok(elapsed() < 10_000, 'both are left');
        await pause(20);
      }
      assert.deepEqual(await store.read(usedChallenges, null), [{ expires_at: NOW + 1 + HOUR / 12 }]);
    });

    it('Challenges and unconfirmed apps are removed within a minute of their end, and no others', async (t) => {
      const service = await startService(t, engine, {}, { clock: () => NOW });
      const { url, store, passTime } = service;
      const [{ username, code }, begun] = [await newGuarded(url, NOW), await newAccount(url)];
      await beginTotp(url, begun.token);
      const again = await newAccount(url);
      await beginTotp(url, again.token);
      await challengeOf(url, username);
      passTime(HOUR / 2);
      // An app that is begun again has its hour from then on.
      await beginTotp(url, (await login(url, again.username)).token);
      const { token } = await newAccount(url);
      await beginTotp(url, token);
      passTime(HOUR / 2);
      const challenge = await challengeOf(url, username);
      passMinute();
      const elapsed = stopwatch();
      const left = async () => Object.values(await store.read(waiting, null)).map((rows) => rows.length);
      while ((await left()).join() !== '1,3') {
        assert.ok(elapsed() < 10_000, `${await left()} are left`);
        await pause(20);
      }
      assert.equal((await complete(url, challenge, code(HOUR / STEP))).status, 200);
      assert.deepEqual((await store.read(waiting, null)).secrets.map(({ created_at }) => created_at).sort(), [
        NOW,
        NOW + HOUR / 2,
        NOW + HOUR / 2,
      ]);
    });

    it('Events older than AUDIT_DAYS are removed within a minute, and no others', async (t) => {
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
      const elapsed = stopwatch();
      while ((await store.read(listEvents, failures)).total > 1) {
        assert.ok(elapsed() < 10_000, `${(await store.read(listEvents, failures)).total} events are left`);
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
