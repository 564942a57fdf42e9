import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import { newSetupLink } from '../../src/setup/link.ts';
import { call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { type RunningService, startHere, startService } from '../support/service.ts';

const DAY_MS = 24 * 3_600_000;

async function newToken({ store }: RunningService, now = Date.now()): Promise<string> {
  const link = await newSetupLink(store, 'https://stoa.example', now);
  const [, token = ''] =
    /^https:\/\/stoa\.example\/console\/#setup=(stoa_su_[\w-]{43})$/.exec(link ?? '') ?? [];
  assert.notEqual(token, '');
  return token;
}

function setUp(url: string, token: string, username = newName()) {
  const body = { token, username, email: `${username}@example.org`, password: PASSWORD };
  return call(url, 'POST', '/api/setup', { body });
}

async function isUsable(url: string, token: string): Promise<boolean> {
  const { status, body } = await call(url, 'POST', '/api/setup/link', { body: { token } });
  assert.equal(status, 200);
  return body.data.usable;
}

onEveryEngine('The setup link', (engine) => {
  it('A setup link makes one admin of sixteen requests at once, and ends all other links', async (t) => {
    const settings = await engine.settings(t);
    const service = await startHere(t, settings);
    const [token, other] = [await newToken(service), await newToken(service)];
    const answers = await Promise.all(Array.from({ length: 16 }, () => setUp(service.url, token)));
    const [made, ...others] = answers.filter(({ status }) => status === 200);
    assert.deepEqual([made?.status, others.length], [200, 0]);
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.data.error], [400, 'link_invalid']);
    assert.equal((await setUp(service.url, other)).body.data.error, 'link_invalid');
    const { token: access } = await login(service.url, made?.body.data.username);
    const me = await call(service.url, 'GET', '/api/users/me', { token: access });
    assert.equal(me.body.data.role, 'admin');
    assert.equal(await newSetupLink(service.store, '', Date.now()), undefined);
    await execOn(settings, "UPDATE users SET role = 'member'");
    const late = await setUp(service.url, other);
    assert.equal(late.body.data.error, 'link_invalid', 'also where there is no admin any more');
  });

  it('A setup link stays good after a mistake, and is refused once there is an admin', async (t) => {
    const service = await startService(t, engine);
    const { url, store } = service;
    const { username } = await newAccount(url);
    const token = await newToken(service);
    assert.equal((await setUp(url, token, username)).body.data.error, 'taken');
    assert.equal((await setUp(url, `${token}x`)).body.data.error, 'link_invalid');
    await store.write(setRole, { account: username, role: 'admin', now: Date.now() });
    assert.equal((await setUp(url, token)).body.data.error, 'link_invalid');
  });

  it('A setup link is refused after a day, and the ninth ends the first', async (t) => {
    const service = await startService(t, engine);
    const first = await newToken(service);
    const later = [];
    for (let number = 0; number < 8; number++) later.push(await newToken(service, Date.now() + number + 1));
    assert.equal((await setUp(service.url, first)).body.data.error, 'link_invalid');
    service.passTime(DAY_MS + 1_000);
    for (const token of later)
      assert.equal((await setUp(service.url, token)).body.data.error, 'link_invalid');
    assert.equal((await setUp(service.url, await newToken(service, Date.now() + DAY_MS))).status, 200);
  });

  it('A setup link is not used by asking for its state, which is false once it cannot make an admin', async (t) => {
    const service = await startService(t, engine);
    const { url } = service;
    const [old, ...later] = [await newToken(service), await newToken(service, Date.now() + DAY_MS)];
    const [token = ''] = later;
    assert.deepEqual([await isUsable(url, token), await isUsable(url, `${token}x`)], [true, false]);
    assert.deepEqual([await isUsable(url, old), await isUsable(url, token)], [true, true]);
    service.passTime(DAY_MS + 1_000);
    assert.deepEqual([await isUsable(url, old), await isUsable(url, token)], [false, true]);
    assert.equal((await setUp(url, token)).status, 200);
    assert.equal(await isUsable(url, token), false);
  });

  it('No setup link can be used once somebody was made an admin in another way', async (t) => {
    const service = await startService(t, engine);
    const { username } = await newAccount(service.url);
    const token = await newToken(service);
    assert.equal(await isUsable(service.url, token), true);
    await service.store.write(setRole, { account: username, role: 'admin', now: Date.now() });
    assert.equal(await isUsable(service.url, token), false);
  });
});
