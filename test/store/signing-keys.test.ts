import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listEvents } from '../../src/audit/list.ts';
import { clean, removeExpiredSessions } from '../../src/auth/clean.ts';
import { generateKey } from '../../src/auth/keys.ts';
import { addSigningKey, listSigningKeys } from '../../src/auth/signing-keys.ts';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onEveryEngine('Signing keys', (engine) => {
  it('that are rotated sign new tokens at once, and the old tokens go on', async (t) => {
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

  it('are the newest even if the clock that made them is behind', async (t) => {
    const { store, sealing } = await startService(t, engine);
    const key = await generateKey(sealing, 1);
    await store.write(addSigningKey, key);
    assert.equal((await store.read(listSigningKeys, null)).at(-1)?.kid, key.kid);
  });

  it('are removed when the last tokens that they signed have ended, not before, and the newest never', async (t) => {
    const { store, sealing } = await startService(t, engine);
    const now = Date.now();
    const [first] = await store.read(listSigningKeys, null);
    const second = await generateKey(sealing, now + MINUTE);
    const third = await generateKey(sealing, now + 10 * MINUTE);
    for (const key of [second, third]) await store.write(addSigningKey, key);
    const kidsAt = async (minutes: number) => {
      await clean(store, now + minutes * MINUTE);
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

onEveryEngine('Sessions', (engine) => {
  it('are removed a day after their absolute limit, in batches, and living ones stay', async (t) => {
    const { url, store, passTime } = await startService(t, engine);
    const { username } = await newAccount(url);
    const logIn = () => call(url, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    for (let count = 0; count < 4; count++) await logIn();
    passTime(29 * DAY);
    const { body } = await logIn();
    const remove = (days: number, limit: number) =>
      store.write(removeExpiredSessions, { expiredBefore: Date.now() + days * DAY, limit });
    assert.equal(await remove(29, 100), 0);
    await clean(store, Date.now() + 30 * DAY + MINUTE);
    assert.equal(await remove(29, 100), 0);
    assert.deepEqual([await remove(31, 3), await remove(31, 3), await remove(31, 3)], [3, 2, 0]);
    assert.equal((await call(url, 'GET', '/api/users/me', { token: body.data.token })).status, 200);
  });
});

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

async function until<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const deadline = performance.now() + 3_000;
  for (;;) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error('It did not happen within three seconds.');
  }
}
