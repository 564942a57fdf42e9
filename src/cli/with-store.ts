import type { Config } from '../config.ts';
import { nameOf } from '../open-database.ts';
import { openExistingStore } from '../open-store.ts';
import type { Store } from '../store/store.ts';

/**
 * Opens the store of the service for a command, and prints to `output` which database it is. Makes no database: without
 * one, fails with OperatorError.
 */
export async function withStore(
  { database }: Config,
  work: (store: Store) => Promise<unknown>,
  output: NodeJS.WritableStream = process.stdout,
): Promise<void> {
  const store = await openExistingStore(database);
  try {
    output.write(`Database: ${nameOf(database)}\n`);
    await work(store);
  } finally {
    await store.close();
  }
}
