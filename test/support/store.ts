import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { readConfig } from '../../src/config.ts';
import { openStore, type StoreOptions } from '../../src/open-store.ts';
import type { CallerKey } from '../../src/sessions/living-session.ts';
import type { Database } from '../../src/settings/database-url.ts';
import { startSession } from '../../src/sign-in/login.ts';
import type { Store } from '../../src/store/store.ts';
import { emptySettings, type Lifetime, lifetimeOfSuite, PATIENCE, type TestEngine } from './engines.ts';

/**
 * For a store whose threads run operations of `operations.ts`. Its threads load the sources, which takes twice as long as
 * the start of those of the service.
 */
export const WITH_TEST_OPERATIONS = { operationsUrl: new URL('./operations.ts', import.meta.url).href };

/** An account for `createAccount`, where any account will do. */
export const ADA = {
  username: 'ada',
  email: 'ada@example.org',
  passwordHash: '',
  role: 'member',
  now: 0,
  origin: null,
} as const;

/** Makes an account with a living session. Returns the `caller` for writes that a caller asks for (`callerWrite`). */
export async function newCaller(
  store: Pick<Store, 'write'>,
  account: Parameters<typeof createAccount.run>[1] = ADA,
): Promise<CallerKey> {
  const { id: userId } = await store.write(createAccount, account);
  return { userId, sessionId: await newSession(store, userId, account.passwordHash) };
}

/** Another session of the account; returns its id. */
export async function newSession(
  store: Pick<Store, 'write'>,
  userId: number,
  checkedHash: string,
): Promise<string> {
  const sessionId = randomBytes(8).toString('base64url');
  const session = { sessionId, tokenHash: sessionId, userId, checkedHash, most: 50, now: 0, origin: null };
  await store.write(startSession, session);
  return sessionId;
}

/** An empty database of the engine, without a schema. It is removed when the test ends. */
export async function newEmptyDatabase(t: Lifetime, engine: TestEngine): Promise<Database> {
  return readConfig(await emptySettings(t, engine)).database;
}

/** A database of the engine with the schema as it is now and without a row. It is removed when the test ends. */
export async function newDatabase(t: Lifetime, engine: TestEngine): Promise<Database> {
  return readConfig(await engine.settings(t)).database;
}

/** `patience`: 1 for the time limits of `stoa serve`; otherwise they are ten times as long. */
type TestOptions = Pick<StoreOptions, 'operationsUrl' | 'onLost' | 'patience'>;

/** A store on a new database of the engine; closed when the test ends. */
export async function openTestStore(
  t: Lifetime,
  engine: TestEngine,
  options: TestOptions = {},
): Promise<Store> {
  return openStoreOn(t, await newDatabase(t, engine), options);
}

/** One store for all tests of a suite, on a new database of the engine. Each test has rows of its own. */
export function storeOfSuite(engine: TestEngine, options: TestOptions = {}): () => Store {
  const lifetime = lifetimeOfSuite();
  let store: Store | undefined;
  before(async () => {
    store = await openTestStore(lifetime, engine, options);
  });
  return () => store ?? assert.fail('The store opens before the first test.');
}

/** A store on a database that other stores may use too; closed when the test ends. */
export async function openStoreOn(
  t: Lifetime,
  database: Database,
  options: TestOptions = {},
): Promise<Store> {
  const store = await openStore(database, { patience: PATIENCE, ...options });
  t.after(() => store.close());
  return store;
}
