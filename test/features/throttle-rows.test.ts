import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forget } from '../../src/services/throttle/forget.ts';
import { countMistake } from '../../src/services/throttle/mistakes.ts';
import { readOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startFleet } from '../support/fleet.ts';
import { refusedThen, signIn, startBehindProxy, statuses, WRONG } from '../support/sign-in.ts';

const DAY = 24 * 60 * 60 * 1000;

const readRows = readOperation('test.read_throttle_rows', async (db) => ({
  debts: await db.selectFrom('guess_debts').selectAll().orderBy('key').execute(),
  devices: await db.selectFrom('known_devices').selectAll().orderBy('key').execute(),
}));

onEveryEngine('What is kept of wrong passwords', (engine) => {
  it('holds neither a name nor an address, and goes by itself once it is forgiven', async (t) => {
    const fleet = await startFleet(t, engine);
    const { url } = fleet.instance(0);
    const { username } = await newAccount(url);
    await signIn(url, newName(), WRONG);
    await signIn(url, username, WRONG);
    const { debts, devices } = await rowsOf(fleet.instance(0).store);
    assert.equal(debts.length, 4, 'three of a stranger, one of a device that signed in');
    for (const { key } of [...debts, ...devices]) assert.match(key, /^[\w-]{43}$/);
    fleet.passTime(60_000);
    await fleet.restart(0);
    for (let tries = 0; (await rowsOf(fleet.instance(0).store)).debts.length > 0; tries++) {
      assert.ok(tries < 500, 'the rows stay');
      await pause(20);
    }
    assert.equal((await rowsOf(fleet.instance(0).store)).devices.length, 1);
  });

  it('is bounded in rows: of too many, those that are forgiven first go first', async (t) => {
    const { store } = await startBehindProxy(t, engine);
    const now = Date.UTC(2030, 0, 1);
    const debts = Array.from({ length: 40 }, (_, index) => ({ key: `key ${index}`, everyMs: 1_000 + index }));
    await store.write(countMistake, { debts, now });
    const bound = { now, mostDebts: 15, limit: 10 };
    const removed = [];
    for (let round = 0; round < 4; round++) removed.push(await store.write(forget, bound));
    assert.deepEqual(removed, [10, 10, 5, 0]);
    const left = (await rowsOf(store)).debts.map(({ empty_at }) => empty_at - now);
    assert.deepEqual(
      left.toSorted(),
      Array.from({ length: 15 }, (_, index) => 1_025 + index),
    );
  });
});

onEveryEngine('A device that signed in', (engine) => {
  it('is known for 90 days from its last sign-in, by one write a day', async (t) => {
    const { url, store, passTime } = await startBehindProxy(t, engine);
    const { username } = await newAccount(url);
    const seenAt = async () => ((await rowsOf(store)).devices[0]?.seen_at ?? 0) - Date.UTC(2030, 0, 1);
    passTime(DAY - 1);
    await signIn(url, username);
    assert.equal(await seenAt(), 0, 'not written anew within a day');
    passTime(1);
    await signIn(url, username);
    assert.equal(await seenAt(), DAY);
    const { devices } = await rowsOf(store);
    const countOf = async (guesses: number) => {
      assert.deepEqual(await statuses(guesses, () => signIn(url, username, WRONG)), refusedThen(guesses));
      return (await rowsOf(store)).debts.length;
    };
    passTime(90 * DAY - 1);
    assert.equal(await countOf(1), 1, 'a known device is counted by itself alone');
    passTime(1);
    assert.equal(await countOf(1), 3, 'a stranger is counted in all buckets');
    const now = (devices[0]?.seen_at ?? 0) + 90 * DAY;
    assert.equal(await store.write(forget, { now, mostDebts: 9, limit: 9 }), 1);
    assert.deepEqual((await rowsOf(store)).devices, []);
  });

  it('is one of 20 of its account at most: the one that signed in longest ago is forgotten', async (t) => {
    const { url, store, passTime } = await startBehindProxy(t, engine);
    const [account, other] = [await newAccount(url), await newAccount(url)];
    const keys = async () => new Set((await rowsOf(store)).devices.map(({ key }) => key));
    const before = await keys();
    for (let device = 0; device < 20; device++) {
      passTime(1);
      assert.equal((await signIn(url, account.username, PASSWORD, `203.0.113.${device}`)).status, 200);
    }
    const { devices } = await rowsOf(store);
    assert.equal(devices.filter(({ user_id }) => user_id === account.id).length, 20);
    assert.equal(devices.filter(({ user_id }) => user_id === other.id).length, 1);
    assert.equal([...before].filter((key) => devices.some((device) => device.key === key)).length, 1);
  });
});

function rowsOf(store: Pick<Store, 'read'>) {
  return store.read(readRows, undefined);
}
