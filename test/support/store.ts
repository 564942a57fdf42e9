import type { TestContext } from 'node:test';
import { type Database, readConfig } from '../../src/config.ts';
import { openStore } from '../../src/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Lifetime, TestEngine } from './engines.ts';

const OPERATIONS_URL = new URL('./operations.ts', import.meta.url).href;

/** An account for `createAccount`, where a test needs somebody and does not mind whom. */
export const ADA = {
  username: 'ada',
  email: 'ada@example.org',
  passwordHash: '',
  role: 'member',
  now: 0,
} as const;

/** An empty database of the engine that goes with the test; it has no schema yet. */
export async function newDatabase(t: Lifetime, engine: TestEngine): Promise<Database> {
  return readConfig(await engine.settings(t)).database;
}

/** A store on an empty database of the engine; closed when the test ends. */
export async function openTestStore(
  t: TestContext,
  engine: TestEngine,
  options: { readonly operationsUrl?: string; readonly onLost?: (reason: Error) => void } = {},
): Promise<Store> {
  return openStoreOn(t, await newDatabase(t, engine), options);
}

/** A store on a database that may have others on it. */
export async function openStoreOn(
  t: TestContext,
  database: Database,
  options: { readonly operationsUrl?: string; readonly onLost?: (reason: Error) => void } = {},
): Promise<Store> {
  const store = await openStore(database, { operationsUrl: OPERATIONS_URL, ...options });
  t.after(() => store.close());
  return store;
}
