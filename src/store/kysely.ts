import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import { statementsUnderWay } from '../domain/spent.ts';
import { runOn } from './statement.ts';
import type { Db, Tables } from './tables.ts';

/**
 * Kysely over a connection with an open transaction, both of which the store controls. Notes each statement of an
 * operation that is traced.
 */
export function kyselyOver(
  executeQuery: DatabaseConnection['executeQuery'],
  engine: Omit<Dialect, 'createDriver'>,
): Db {
  const connection = new NotingConnection(executeQuery);
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

/** A class, so that an operation without a trace costs no object more. */
class NotingConnection implements DatabaseConnection {
  readonly #executeQuery: DatabaseConnection['executeQuery'];

  constructor(executeQuery: DatabaseConnection['executeQuery']) {
    this.#executeQuery = executeQuery;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const notes = statementsUnderWay();
    const execute = this.#executeQuery;
    return notes ? notes.noting(query.sql, () => execute<Row>(query)) : execute<Row>(query);
  }

  streamQuery(): never {
    throw new Error('Operations do not stream statements.');
  }
}

async function nothing(): Promise<void> {}

async function ownedByTheStore(): Promise<void> {
  throw new Error('Operations do not open transactions; the store has one open for each of them.');
}
