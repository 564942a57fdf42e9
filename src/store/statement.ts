import { type CompiledQuery, type DatabaseConnection, type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** A query builder or raw SQL of Kysely. */
interface Buildable<Row> {
  compile(db: Db): CompiledQuery<Row>;
}

/** The connection of each Kysely instance. Compiled statements run on it without Kysely's executor. */
const CONNECTIONS = new WeakMap<Db, Pick<DatabaseConnection, 'executeQuery'>>();

/** After this call compiled statements of `db` run on this connection. */
export function runOn(db: Db, connection: Pick<DatabaseConnection, 'executeQuery'>): void {
  CONNECTIONS.set(db, connection);
}

/** The texts of all statements that are built once. The code bounds their number. */
const TEXTS = new Set<string>();

/** Was this SQL built by `statement`, so that a connection may keep it prepared? */
export function isBuiltOnce(sql: string): boolean {
  return TEXTS.has(sql);
}

/** A member of the input in a compiled statement. Code that reads the placeholder itself fails. */
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
  return new Error(`A statement may use "${member}" only as a value: it is built once, for every input.`);
}

/** An input that makes a placeholder for each member that a statement uses, and adds its name to `handedOut`. */
function placeholders(handedOut: Set<string>): Record<string, Placeholder> {
  return new Proxy<Record<string, Placeholder>>(
    {},
    {
      get: (_, member) => {
        handedOut.add(String(member));
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
}

export type Statement<Input extends object, Row> = (db: Db, input: Input) => Promise<Row[]>;

/**
 * A statement of a hot path. It is built and compiled once for each engine, and then run with the values of each input,
 * because building a statement costs more than running it. `build` may use the members of its input only as values. Any
 * other use fails at the first run. A run fails if its input lacks a member.
 */
export function statement<Input extends object, Row>(
  build: (db: Db, input: Input) => Buildable<Row>,
): Statement<Input, Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();

  function compile(db: Db): CompiledQuery<Row> {
    const handedOut = new Set<string>();
    const query = build(db, placeholders(handedOut) as unknown as Input).compile(db);
    // Fails if a used member is no parameter, because `build` has then decided something by its value.
    for (const each of query.parameters) if (each instanceof Placeholder) handedOut.delete(each.member);
    for (const member of handedOut) throw misused(member);
    TEXTS.add(query.sql);
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
 * A number of rows for LIMIT. If LIMIT is a bare parameter, SQLite plans the statement again at every run, because the
 * plan may depend on the value (sqlite3ExprIsInteger, since 3.47). An expression avoids this.
 */
export function atMost(rows: number): RawBuilder<number> {
  return sql`cast(${rows} as integer)`;
}
