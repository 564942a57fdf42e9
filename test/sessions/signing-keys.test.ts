import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listEvents } from '../../src/audit/list.ts';
import { expiriesOf } from '../../src/features.ts';
import { removeExpired } from '../../src/services/expiry.ts';
import { generateKey } from '../../src/sessions/keys.ts';
import { addSigningKey, listSigningKeys, removeOldSigningKeys } from '../../src/sessions/signing-keys.ts';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { describeInTurn } from '../support/suite.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onEveryEngine('Signing keys', (engine) => {
  it('A rotated signing key signs new tokens, and old tokens remain valid', async (t) => {
    const { url, store, sealing } = await startService(t, engine);
    const { token, username } = await newAccount(url);
    const key = await generateKey(sealing, Date.now());
    await store.write(addSigningKey, key);
    const fresh = await until(async () => {
      const { body } = await call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
      return kidOf(body.data.token) === key.kid ? (body.data.token as string) : undefined;
    });
    assert.notEqual(kidOf(token), key.kid);
    for (const each of [token, fresh]) {
      assert.equal((await call(url, 'GET', '/api/users/me', { token: each })).status, 200);
    }
    const published = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    assert.deepEqual(
      published.keys.map(({ kid }) => kid),
      [kidOf(token), key.kid],
    );
  });

  it('A signing key is removed when its last tokens have ended, and the newest never', async (t) => {
    const { store, sealing } = await startService(t, engine);
    const now = Date.now();
    const [first] = await store.read(listSigningKeys, null);
    const second = await generateKey(sealing, now + MINUTE);
    const third = await generateKey(sealing, now + 10 * MINUTE);
    for (const key of [second, third]) await store.write(addSigningKey, key);
    const kidsAt = async (minutes: number) => {
      await store.write(removeOldSigningKeys, { now: now + minutes * MINUTE });
      return (await store.read(listSigningKeys, null)).map(({ kid }) => kid);
    };
    assert.deepEqual(await kidsAt(16), [first?.kid, second.kid, third.kid]);
    assert.deepEqual(await kidsAt(18), [second.kid, third.kid]);
    assert.deepEqual(await kidsAt(25), [second.kid, third.kid]);
    assert.deepEqual(await kidsAt(27), [third.kid]);
    assert.deepEqual(await kidsAt(1_000_000), [third.kid]);
    const query = { page: 1, per_page: 100, event: 'signing_key_removed' } as const;
    const { items } = await store.read(listEvents, query);
    assert.deepEqual(
      items.map(({ at, detail }) => [at, JSON.parse(detail)]),
      [
        [now + 27 * MINUTE, { kid: second.kid }],
        [now + 18 * MINUTE, { kid: first?.kid }],
      ],
      'each removal is in the audit trail',
    );
  });
});

onEveryEngine('Keys and sessions that are stored', (engine) =>
  describeInTurn(engine, 'on one service', (service) => {
    it('A new signing key is the newest even if the clock that made it is behind', async () => {
      const { store, sealing } = service();
      const key = await generateKey(sealing, 1);
      await store.write(addSigningKey, key);
      assert.equal((await store.read(listSigningKeys, null)).at(-1)?.kid, key.kid);
    });

    it('Sessions are removed a day after their absolute limit, in batches, and living ones stay', async () => {
      const { url, store, passTime, now } = service();
      const begun = now();
      const { username } = await newAccount(url);
      const logIn = () => call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
      for (let count = 0; count < 4; count++) await logIn();
      passTime(29 * DAY);
      const { body } = await logIn();
      const expiry = expiriesOf({ auditDays: 1 }).find(({ table }) => table === 'sessions') ?? assert.fail();
      const remove = (days: number, limit: number) =>
        store.write(removeExpired, { ...expiry, now: begun + days * DAY, limit });
      assert.equal(await remove(30, 100), 0);
      assert.deepEqual([await remove(32, 3), await remove(32, 3), await remove(32, 3)], [3, 2, 0]);
      assert.equal((await call(url, 'GET', '/api/users/me', { token: body.data.token })).status, 200);
    });
  }),
);

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

async function until<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const elapsed = stopwatch();
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (elapsed() > 30_000) throw new Error('It did not happen within thirty seconds.');
    // More than fifty sign-ins would end the first session.
    await pause(100);
  }
}
