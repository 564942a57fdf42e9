import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { ClientBase } from 'pg';
import type { Db, Tables } from '../tables.ts';
import { translatePostgresError } from './errors.ts';
import type { StatementNames } from './statement-names.ts';

/** One for all, because compiled statements are kept by it (store/statement.ts). */
const ADAPTER = new PostgresAdapter();

/** Lends a connection for one use and takes it back; `error` is how the use failed, if it did. */
export interface Lender {
  acquire(): Promise<ClientBase>;
  release(client: ClientBase, error?: unknown): void;
}

/**
 * Kysely over connections of `pg`, each statement on one that `lender` lends. With `names` the server
 * keeps every statement prepared and planned; without, it plans each for its values.
 */
export function kyselyOn(lender: Lender, names?: StatementNames): Db {
  const dialect: Dialect = {
    createDriver: () => new LentConnectionDriver(lender, names),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => ADAPTER,
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
  return new Kysely<Tables>({ dialect });
}

/** Kysely over the one connection of a transaction. */
export function kyselyOnClient(client: ClientBase, names?: StatementNames): Db {
  return kyselyOn({ acquire: async () => client, release: () => {} }, names);
}

class PostgresConnection implements DatabaseConnection {
  readonly client: ClientBase;
  readonly #names: StatementNames | undefined;
  error: unknown;

  constructor(client: ClientBase, names: StatementNames | undefined) {
    this.client = client;
    this.#names = names;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const name = this.#names?.of(sql);
    try {
      const query = { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
      const { rows, rowCount } = await this.client.query(query);
      return { rows: rows as Row[], ...(rowCount === null ? {} : { numAffectedRows: BigInt(rowCount) }) };
    } catch (error) {
      this.error = error;
      throw translatePostgresError(error);
    }
  }

  // biome-ignore lint/correctness/useYield: no operation streams; Kysely's interface asks for the method.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Operations do not stream statements.');
  }
}

class LentConnectionDriver implements Driver {
  readonly #lender: Lender;
  readonly #names: StatementNames | undefined;

  constructor(lender: Lender, names: StatementNames | undefined) {
    this.#lender = lender;
    this.#names = names;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#lender.acquire(), this.#names);
  }
  async releaseConnection({ client, error }: PostgresConnection): Promise<void> {
    this.#lender.release(client, error);
  }
  async destroy(): Promise<void> {}
  beginTransaction = ownedByTheStore;
  commitTransaction = ownedByTheStore;
  rollbackTransaction = ownedByTheStore;
}

/** An operation already runs inside the transaction that the store opened for it. */
async function ownedByTheStore(): Promise<void> {
  throw new Error('Operations do not open transactions; the store has one open for each of them.');
}
