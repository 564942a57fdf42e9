import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Db, Tables } from '../tables.ts';
import { translateSqliteError } from './errors.ts';

/** Kysely over one open `node:sqlite` connection. The caller keeps the connection and its transactions. */
export function kyselyOn(database: DatabaseSync): Db {
  const connection = new SqliteConnection(database);
  const dialect: Dialect = {
    createDriver: () => new SingleConnectionDriver(connection),
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  return new Kysely<Tables>({ dialect });
}

/** There is one writer, so a row that a write has read stays as it is: SQLite has no words for row locks. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!node.modifier?.startsWith('For')) super.visitSelectModifier(node);
  }
}

/** Runs statements at once, in the calling thread, and keeps each prepared by its text. */
class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { statement, returnsRows } = this.#prepare(sql);
      const values = parameters as SQLInputValue[];
      if (returnsRows) return { rows: statement.all(...values) as Row[] };
      const { changes } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  // biome-ignore lint/correctness/useYield: no operation streams; Kysely's interface asks for the method.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Statements are not streamed on SQLite.');
  }

  #prepare(sql: string) {
    let prepared = this.#statements.get(sql);
    if (!prepared) {
      const statement = this.#database.prepare(sql);
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      // `run` reports the last row id, and those inside a search index are too large for a number.
      if (!prepared.returnsRows) statement.setReadBigInts(true);
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

class SingleConnectionDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
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

/** An operation already runs inside the transaction that the store opened for it. */
async function ownedByTheStore(): Promise<void> {
  throw new Error('Operations do not open transactions; the store has one open for each of them.');
}
