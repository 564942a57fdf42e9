import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { kyselyOver } from '../kysely.ts';
import { announceNothing, type Engine } from '../operation.ts';
import type { Db } from '../tables.ts';
import { translateSqliteError } from './errors.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Empty for a statement that returns no rows. */
  readonly columns: readonly string[];
}

/**
 * Kysely over one open `node:sqlite` connection. The caller controls the connection and its transactions. Statements run
 * synchronously in the calling thread, and each of them is kept prepared.
 */
export function kyselyOn(database: DatabaseSync): Db {
  const statements = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const statement = database.prepare(sql);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    // `run` returns the last row id, and ids inside a full-text index are too large for a number.
    if (prepared.columns.length === 0) statement.setReadBigInts(true);
    else statement.setReturnArrays(true);
    statements.set(sql, prepared);
    return prepared;
  }

  async function executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { statement, columns } = statements.get(sql) ?? prepare(sql);
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

  return kyselyOver(executeQuery, {
    createQueryCompiler: () => new LocklessQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  });
}

const ROW_LOCK = /^(For|NoWait|SkipLocked)/;

/**
 * Leaves out row locks, which SQLite does not have. It has one writer, so a row that a write has read cannot change.
 */
class LocklessQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!node.modifier || !ROW_LOCK.test(node.modifier)) super.visitSelectModifier(node);
  }
}

/** A plain object. The driver's own rows have no prototype, and are slower to make and to read. */
function rowOf(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let at = 0;
  for (const name of columns) row[name] = values[at++];
  return row;
}

export const sqliteEngine: Engine = {
  name: 'sqlite',

  announce: announceNothing,

  // There is only one writer, so no other write can hold a lock.
  lock: async () => {},
  lockShared: async () => {},
  tryLock: async () => true,
};
