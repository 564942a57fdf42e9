import { type CompiledQuery, type DatabaseConnection, type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** A query builder or raw SQL of Kysely. */
interface Buildable<Row> {
  compile(db: Db): CompiledQuery<Row>;
}

/** The connection behind each Kysely instance. Compiled statements run there without Kysely's executor. */
const CONNECTIONS = new WeakMap<Db, Pick<DatabaseConnection, 'executeQuery'>>();

/** From now on compiled statements of `db` run on this connection. */
export function runOn(db: Db, connection: Pick<DatabaseConnection, 'executeQuery'>): void {
  CONNECTIONS.set(db, connection);
}

/** Stands in a compiled statement for a member of the input. Code that looks at the placeholder itself fails. */
class Placeholder {
  readonly member: string;

  constructor(member: string) {
    this.member = member;
  }

  [Symbol.toPrimitive](): never {
    throw misused(this.member);
  }

  toJSON(): never {
    throw misused(this.member);
  }
}

function misused(member: string): Error {
  return new Error(`A statement may use "${member}" as a value alone: it is built once, for every input.`);
}

/** Hands out a placeholder for each member that a statement asks for, and remembers which. */
class Placeholders {
  readonly #handedOut = new Set<string>();
  readonly input = new Proxy<Record<string, Placeholder>>(
    {},
    {
      get: (_, member) => {
        this.#handedOut.add(String(member));
        return new Placeholder(String(member));
      },
      has: (_, member) => {
        throw misused(String(member));
      },
      ownKeys: () => {
        throw misused('...');
      },
    },
  );

  /** Fails where a member that was asked for is no parameter: `build` has decided something by it. */
  requireAllIn(parameters: readonly unknown[]): void {
    const used = new Set(parameters.map((each) => (each instanceof Placeholder ? each.member : undefined)));
    for (const member of this.#handedOut) if (!used.has(member)) throw misused(member);
  }
}

export type Statement<Input extends object, Row> = (db: Db, input: Input) => Promise<Row[]>;

/**
 * A statement of a hot path: built and compiled once per engine, then run with the values of each input, because
 * building a statement costs more than running it. `build` may use the members of its input as values alone; any
 * other use fails at the first run. A run fails when its input lacks a member.
 */
export function statement<Input extends object, Row>(
  build: (db: Db, input: Input) => Buildable<Row>,
): Statement<Input, Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();

  function compile(db: Db): CompiledQuery<Row> {
    const placeholders = new Placeholders();
    const query = build(db, placeholders.input as unknown as Input).compile(db);
    placeholders.requireAllIn(query.parameters);
    return query;
  }

  return async (db, input) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      query = compile(db);
      compiled.set(adapter, query);
    }
    const values = input as Record<string, unknown>;
    const parameters = query.parameters.map((parameter) => {
      if (!(parameter instanceof Placeholder)) return parameter;
      const value = values[parameter.member];
      if (value === undefined) throw new Error(`The input of a statement lacks "${parameter.member}".`);
      return value;
    });
    const runner = CONNECTIONS.get(db) ?? db;
    const { rows } = await runner.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

/**
 * A number of rows for LIMIT. Where LIMIT is a bare parameter, SQLite plans the statement anew at every run, since
 * the plan may depend on the value (sqlite3ExprIsInteger, since 3.47). An expression leaves the plan as it is.
 */
export function atMost(rows: number): RawBuilder<number> {
  return sql`cast(${rows} as integer)`;
}
