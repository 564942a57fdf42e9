import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { SingleConnectionDriver } from '../single-connection-driver.ts';
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

const ROW_LOCK = /^(For|NoWait|SkipLocked)/;

/**
 * Leaves out row locks, which SQLite does not know. There is one writer, so a row that a write has read cannot
 * change.
 */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!node.modifier || !ROW_LOCK.test(node.modifier)) super.visitSelectModifier(node);
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** None for a statement that returns no rows. */
  readonly columns: readonly string[];
}

/** Runs statements in the calling thread, without waiting, and keeps each of them prepared. */
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
        return { rows: rows.map((each) => rowOf(columns, each)) as Row[] };
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
      const columns = statement.columns().map(({ name }) => name);
      prepared = { statement, columns };
      // `run` reports the last row id, and the ids inside a search index are too large for a number.
      if (columns.length === 0) statement.setReadBigInts(true);
      else statement.setReturnArrays(true);
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

/** A plain object. The driver's own rows have no prototype, and are slower to make and to read (decisions 0038). */
function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let at = 0;
  for (const name of columns) row[name] = values[at++];
  return row;
}
