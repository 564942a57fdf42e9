import { type DatabaseConnection, type Dialect, type Driver, Kysely } from 'kysely';
import { runOn } from './statement.ts';
import type { Db, Tables } from './tables.ts';

/** Kysely over a connection with an open transaction, both of which the store controls. */
export function kyselyOver(
  executeQuery: DatabaseConnection['executeQuery'],
  engine: Omit<Dialect, 'createDriver'>,
): Db {
  const connection: DatabaseConnection = { executeQuery, streamQuery: notStreamed };
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    releaseConnection: nothing,
    destroy: nothing,
    beginTransaction: ownedByTheStore,
    commitTransaction: ownedByTheStore,
    rollbackTransaction: ownedByTheStore,
  };
  const db = new Kysely<Tables>({ dialect: { createDriver: () => driver, ...engine } });
  runOn(db, connection);
  return db;
}

async function nothing(): Promise<void> {}

async function ownedByTheStore(): Promise<void> {
  throw new Error('Operations do not open transactions; the store has one open for each of them.');
}

function notStreamed(): never {
  throw new Error('Operations do not stream statements.');
}
