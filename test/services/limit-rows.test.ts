import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expiriesOf } from '../../src/features.ts';
import { removeExpired } from '../../src/services/expiry.ts';
import { countMistake } from '../../src/services/limits/wrong-passwords.ts';
import { readOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startFleet } from '../support/fleet.ts';
import { refusedThen, signIn, startBehindProxy, statuses, WRONG } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const DAY = 24 * 60 * 60 * 1000;

const readRows = readOperation('test.read_limit_rows', async (db) => ({
  debts: await db.selectFrom('guess_debts').selectAll().orderBy('key').execute(),
  devices: await db.selectFrom('known_devices').selectAll().orderBy('key').execute(),
}));

onEveryEngine('Rows of limits', (engine) => {
  it('A row about wrong passwords has neither name nor address, and is removed when it is forgiven', async (t) => {
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
    const isRemoved = async () => (await rowsOf(fleet.instance(0).store)).debts.length === 0;
    await until(isRemoved, 'the rows are removed');
    assert.equal((await rowsOf(fleet.instance(0).store)).devices.length, 1);
  });

  it('Rows about wrong passwords are limited, and those that are forgiven first are removed first', async (t) => {
    const { store } = await startBehindProxy(t, engine);
    const now = Date.UTC(2030, 0, 1);
    const charges = Array.from({ length: 40 }, (_, index) => ({
      key: `key ${index}`,
      everyMs: 1_000 + index,
      withinMs: 10_000,
    }));
    await store.write(countMistake, { charges, now });
    const bound = { ...expiryOf('guess_debts'), now, most: 15, limit: 10 };
    const removed = [];
    for (let round = 0; round < 4; round++) removed.push(await store.write(removeExpired, bound));
    assert.deepEqual(removed, [10, 10, 5, 0]);
    const left = (await rowsOf(store)).debts.map(({ empty_at }) => empty_at - now);
    assert.deepEqual(
      left.toSorted(),
      Array.from({ length: 15 }, (_, index) => 1_025 + index),
    );
  });
});

onEveryEngine('Known devices', (engine) => {
  it('A device is known for 90 days from its last sign-in, by one write a day', async (t) => {
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
    const end = (devices[0]?.seen_at ?? 0) + 90 * DAY;
    const removeAt = (now: number) =>
      store.write(removeExpired, { ...expiryOf('known_devices'), now, limit: 9 });
    await removeAt(end - 1);
    assert.deepEqual((await rowsOf(store)).devices, devices);
    passTime(1);
    assert.equal(await countOf(1), 3, 'a stranger is counted in all buckets');
    // The service may have removed it already: it cleans by itself.
    await removeAt(end);
    assert.deepEqual((await rowsOf(store)).devices, []);
  });

  it('An account has 20 known devices at most, and the one unused for longest is forgotten', async (t) => {
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

function expiryOf(name: string) {
  return expiriesOf({ auditDays: 1 }).find(({ table }) => table === name) ?? assert.fail();
}

function rowsOf(store: Pick<Store, 'read'>) {
  return store.read(readRows, undefined);
}
