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
import { runOn } from '../statement.ts';
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
  const db = new Kysely<Tables>({ dialect });
  runOn(db, connection);
  return db;
}

/** There is one writer, so a row that a write has read stays as it is: SQLite has no words for row locks. */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!node.modifier?.startsWith('For')) super.visitSelectModifier(node);
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** Names of the columns of its rows; empty for a statement that returns none. */
  readonly columns: readonly string[];
}

/** Runs statements at once, in the calling thread, and keeps each prepared by its text. */
class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { statement, columns } = this.#prepare(sql);
      const values = parameters as SQLInputValue[];
      if (columns.length > 0) {
        const rows = statement.all(...values) as unknown as unknown[][];
        return { rows: rows.map((row) => rowOf(columns, row) as Row) };
      }
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

  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (!prepared) {
      const statement = this.#database.prepare(sql);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      // `run` reports the last row id, and those inside a search index are too large for a number.
      if (prepared.columns.length === 0) statement.setReadBigInts(true);
      else statement.setReturnArrays(true);
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

/** Plain objects: those of the driver are dictionaries, which are slower to make and to read. */
function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = values[at];
  return row;
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
