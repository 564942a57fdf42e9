import { type CompiledQuery, type DatabaseConnection, type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** A query builder or raw SQL of Kysely. */
interface Buildable<Row> {
  compile(db: Db): CompiledQuery<Row>;
}

/** The connection behind each Kysely instance: what is compiled runs on it without Kysely's executor. */
const CONNECTIONS = new WeakMap<Db, Pick<DatabaseConnection, 'executeQuery'>>();

export function runOn(db: Db, connection: Pick<DatabaseConnection, 'executeQuery'>): void {
  CONNECTIONS.set(db, connection);
}

/** Stands in a compiled statement where a member of the input will be. */
class Placeholder {
  readonly member: string;

  constructor(member: string) {
    this.member = member;
  }
}

/** Hands out a placeholder for whatever member the statement asks for. */
const PLACEHOLDERS = new Proxy<Record<string, Placeholder>>(
  {},
  { get: (_, member) => new Placeholder(String(member)) },
);

/**
 * A statement of a hot path: built and compiled once per engine, then run with the values of each
 * input, because building costs more than running it. `build` may use the members of its input as
 * values alone: it sees placeholders there, so it cannot decide anything by them.
 */
export function statement<Input extends object, Row>(build: (db: Db, input: Input) => Buildable<Row>) {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();

  return async (db: Db, input: Input): Promise<Row[]> => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      query = build(db, PLACEHOLDERS as unknown as Input).compile(db);
      compiled.set(adapter, query);
    }
    const values = input as Record<string, unknown>;
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.member] : parameter,
    );
    const runner = CONNECTIONS.get(db) ?? db;
    const { rows } = await runner.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

/**
 * A number for LIMIT. SQLite plans a statement anew at every run when LIMIT is a bare parameter, since
 * the plan may depend on its value (sqlite3ExprIsInteger, since 3.47); an expression leaves the plan alone.
 */
export function atMost(rows: number): RawBuilder<number> {
  return sql`cast(${rows} as integer)`;
}
