import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { ClientBase } from 'pg';
import { SingleConnectionDriver } from '../single-connection-driver.ts';
import { runOn } from '../statement.ts';
import type { Db, Tables } from '../tables.ts';
import { translatePostgresError } from './errors.ts';
import { type Runner, runAlone, type StatementNames } from './pipeline/index.ts';

/**
 * Every Kysely instance has this one adapter, because compiled statements are kept by their adapter
 * (store/statement.ts).
 */
const ADAPTER = new PostgresAdapter();

/**
 * Kysely over a runner. With `names` the server keeps every statement prepared and planned. Without `names` the
 * server plans each statement for its values.
 */
export function kyselyOn(runner: Runner, names?: StatementNames): Db {
  const connection = new RunnerConnection(runner, names);
  const dialect: Dialect = {
    createDriver: () => new SingleConnectionDriver(connection),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => ADAPTER,
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
  const db = new Kysely<Tables>({ dialect });
  runOn(db, connection);
  return db;
}

/** Kysely over one connection, each statement by itself. */
export function kyselyOnClient(client: ClientBase, names?: StatementNames): Db {
  return kyselyOn({ run: (statement) => runAlone(client, statement) }, names);
}

class RunnerConnection implements DatabaseConnection {
  readonly #runner: Runner;
  readonly #names: StatementNames | undefined;

  constructor(runner: Runner, names: StatementNames | undefined) {
    this.#runner = runner;
    this.#names = names;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const name = this.#names?.of(sql);
    try {
      const { rows, command } = await this.#runner.run({ text: sql, name, values: parameters.map(toText) });
      return { rows: rows as Row[], ...(rows.length > 0 ? {} : { numAffectedRows: rowsIn(command) }) };
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  // biome-ignore lint/correctness/useYield: no operation streams; Kysely's interface asks for the method.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Operations do not stream statements.');
  }
}

/** Every value is sent as text, which the server reads as the type that the statement needs. */
function toText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw new TypeError('A statement takes no objects as values.');
  return String(value);
}

/** "INSERT 0 3" and "UPDATE 3" end with the number of rows. */
function rowsIn(command: string): bigint {
  return BigInt(/\d+$/.exec(command)?.[0] ?? 0);
}
