import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startSession } from '../../src/auth/login.ts';
import { createAccount } from '../../src/auth/register.ts';
import { readOperation } from '../../src/store/operation.ts';
import { call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { passMinute } from '../support/minutes.ts';
import { startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';

/** More than one write removes. */
const BACKLOG = 640;
const AT_ONCE = 40;

const countSessions = readOperation('test.count_sessions', async (db, _: null) => {
  const { count } = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
});

// One after another: a minute passes for all services of this process at once.
onEveryEngine('A running service', (engine) => {
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
        now: 0,
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
});
