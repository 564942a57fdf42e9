import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { readConfig } from '../../src/config.ts';
import { Failure } from '../../src/domain/failure.ts';
import { foldKey } from '../../src/domain/text.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { nameSkeletons } from '../../src/schema/0005_name_skeletons.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import type { Database } from '../../src/settings/database-url.ts';
import type { Store } from '../../src/store/store.ts';
import { emptySettings, onEveryEngine, type TestEngine } from '../support/engines.ts';
import { openStoreOn } from '../support/store.ts';

const TAKEN = 'This user name looks like one that is taken; choose another.';
const OTHER_LATIN = { a: '\u0251', g: '\u0261' };

onEveryEngine('Names that look the same', (engine) => {
  it('Of 32 look-alike names registered at once on two instances, one of them ASCII, one is made', async (t) => {
    const names = spellings('gagag', OTHER_LATIN);
    assert.equal(names.length, 32);
    const made = await registerAtOnce(await twoStores(t, engine), names);
    assert.equal(made.length, 1, String(made));
  });

  it('Look-alikes registered at once make either all 16 ASCII names or one of the 16 others', async (t) => {
    const stores = await twoStores(t, engine);
    for (let round = 0; round < 5; round++) {
      const ascii = spellings(`mmmm${'x'.repeat(round)}a`, { m: 'rn' });
      const others = ascii.map((name) => name.replace('a', OTHER_LATIN.a));
      const turns = ascii.flatMap((name, index) => [name, others[index] ?? '']);
      const made = await registerAtOnce(stores, round % 2 ? turns : turns.toReversed());
      const isOneOther = made.length === 1 && others.includes(made[0] ?? '');
      assert.ok(isOneOther || made.toSorted().join() === ascii.toSorted().join(), String(made));
    }
  });

  it('Look-alike names from before the comparison all stay, and new names are compared with them', async (t) => {
    const database = readConfig(await emptySettings(t, engine)).database;
    const [scope, twin, caps] = ['scope', '\u0455\u0441\u043e\u0440\u0435', '\u041d\u041e\u0420\u0415'];
    await migrateStore(database, MIGRATIONS.slice(0, MIGRATIONS.indexOf(nameSkeletons)));
    await insertBefore(database, [scope, twin, caps, 'modem']);
    const store = await openStoreOn(t, database);
    assert.deepEqual(await registerAtOnce([store], ['SC0PE', 'modern']), ['SC0PE', 'modern']);
    for (const name of [scope, twin, caps])
      await assert.rejects(register(store, name), { message: /^This user name is taken/ });
    for (const name of ['hope', 'sc\u03bfpe', '\u0455c\u043ep\u0435'])
      await assert.rejects(register(store, name), { message: TAKEN });
  });
});

/** All spellings with some of the letters replaced, the one of the letters themselves first. */
function spellings(name: string, letters: Readonly<Record<string, string>>): string[] {
  return [...name].reduce(
    (starts, letter) =>
      [letter, letters[letter] ?? []].flat().flatMap((end) => starts.map((start) => start + end)),
    [''],
  );
}

async function twoStores(t: TestContext, engine: TestEngine): Promise<Store[]> {
  const { database } = readConfig(await engine.settings(t));
  return [await openStoreOn(t, database), await openStoreOn(t, database)];
}

/** Registers all names at once, by turns at each store; returns those that were not taken. */
async function registerAtOnce(stores: readonly Store[], names: readonly string[]): Promise<string[]> {
  const isMade = await Promise.all(
    names.map((name, index) =>
      register(stores[index % stores.length], name).then(
        () => true,
        (error) => {
          assert.ok(error instanceof Failure, String(error));
          assert.equal(error.message, TAKEN);
          return false;
        },
      ),
    ),
  );
  return names.filter((_, index) => isMade[index]);
}

async function register(store: Store | undefined, username: string): Promise<void> {
  const email = `${Buffer.from(username).toString('hex')}@example.org`;
  await store?.write(createAccount, {
    username,
    email,
    passwordHash: '',
    role: 'member',
    now: 0,
    origin: null,
  });
}

/** Puts accounts into a database of an older schema. */
async function insertBefore(database: Database, names: readonly string[]): Promise<void> {
  const rows = names.map((username) => ({
    username,
    username_key: foldKey(username),
    email: username,
    email_key: username,
    password_hash: '',
    role: 'member' as const,
    created_at: 0,
  }));
  const end = await openMoveEnd(database, 'target');
  await end.transaction((db) => db.insertInto('users').values(rows).execute());
  await end.close();
}
