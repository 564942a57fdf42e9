import type { DatabaseConnection, Driver } from 'kysely';

/** A driver for Kysely over a connection that the store has opened, and with it the transaction of the operation. */
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
