import type { Config } from '../config.ts';
import { nameOf, openExistingStore } from '../open-store.ts';
import type { Store } from '../store/store.ts';

/**
 * Lends the database of the service to a command, and says which one it is. Fails with OperatorError,
 * and makes nothing, where there is none.
 */
export async function withStore(
  { database }: Config,
  work: (store: Store) => Promise<unknown>,
): Promise<void> {
  const store = await openExistingStore(database);
  try {
    process.stdout.write(`Database: ${nameOf(database)}\n`);
    await work(store);
  } finally {
    await store.close();
  }
}
