import type { DatabaseConnection, Driver } from 'kysely';

/** Kysely's driver where the store has a connection already, with the transaction of the operation open. */
export class SingleConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
  beginTransaction = ownedByTheStore;
  commitTransaction = ownedByTheStore;
  rollbackTransaction = ownedByTheStore;
}

async function ownedByTheStore(): Promise<void> {
  throw new Error('Operations do not open transactions; the store has one open for each of them.');
}
