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

/** Stands in a compiled statement where a member of the input will be. Whatever looks at it fails. */
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

  /** Fails where the statement asked for a member to decide something by it: then it is no parameter. */
  requireAllIn(parameters: readonly unknown[]): void {
    const used = new Set(parameters.map((each) => (each instanceof Placeholder ? each.member : undefined)));
    for (const member of this.#handedOut) if (!used.has(member)) throw misused(member);
  }
}

export type Statement<Input extends object, Row> = (db: Db, input: Input) => Promise<Row[]>;

/**
 * A statement of a hot path: built and compiled once per engine, then run with the values of each input,
 * because building costs more than running it. `build` may use the members of its input as values alone.
 * Anything else that it does with one fails at the first run, and so does an input that lacks one.
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
 * A number for LIMIT. SQLite plans a statement anew at every run when LIMIT is a bare parameter, since
 * the plan may depend on its value (sqlite3ExprIsInteger, since 3.47); an expression leaves the plan alone.
 */
export function atMost(rows: number): RawBuilder<number> {
  return sql`cast(${rows} as integer)`;
}
