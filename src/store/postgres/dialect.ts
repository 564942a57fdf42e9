import {
  type CompiledQuery,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely';
import type { ClientBase } from 'pg';
import type { LockName } from '../../domain/lock-names.ts';
import { kyselyOver } from '../kysely.ts';
import { lockKey } from '../lock-key.ts';
import { announceNothing, type Engine } from '../operation.ts';
import { isBuiltOnce, statement } from '../statement.ts';
import type { Db } from '../tables.ts';
import { translatePostgresError } from './errors.ts';
import { type Runner, runAlone } from './pipeline/index.ts';

/**
 * All Kysely instances share this adapter, because compiled statements are stored by their adapter
 * (store/statement.ts).
 */
const ADAPTER = new PostgresAdapter();
const ENGINE = {
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => ADAPTER,
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
};

/** Gives a statement text the name under which the server keeps the statement prepared on every connection. */
export type NameOf = (sql: string) => string | undefined;

/**
 * Names for the statements that are not built once, so that nothing grows without a limit. Further ones are sent without
 * a name.
 */
const MOST_NAMES = 500;

/** Of these, names for one statement with lists of different lengths. The names would be used up by lists otherwise. */
const MOST_LENGTHS = 32;

/** A statement that is built once always gets a name, whatever ran before it: those are the hot ones, and they are few. */
export function statementNames(): NameOf {
  const names = new Map<string, string>();
  const lengths = new Map<string, number>();
  let others = 0;

  function hasName(sql: string): boolean {
    if (isBuiltOnce(sql)) return true;
    if (others === MOST_NAMES) return false;
    const shape = shapeOf(sql);
    const known = lengths.get(shape) ?? 0;
    if (known === MOST_LENGTHS) return false;
    lengths.set(shape, known + 1);
    others++;
    return true;
  }

  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined || !hasName(sql)) return known;
    const name = `stoa_${names.size}`;
    names.set(sql, name);
    return name;
  };
}

/** The text of a statement without the lengths of its lists: of values, and of rows of values. */
function shapeOf(sql: string): string {
  return sql.replaceAll(/\$\d+/g, '$').replaceAll(/(\$|\([^()]*\))(?:, \1)+/g, '$1');
}

/**
 * Kysely over a runner. With `nameOf` the server keeps every statement prepared and planned. Without it the server plans
 * each statement for its values.
 */
export function kyselyOn(runner: Runner, nameOf?: NameOf): Db {
  return kyselyOver(async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
    try {
      const values = parameters.map(toText);
      const { rows, command } = await runner.run({ text: sql, name: nameOf?.(sql), values });
      return { rows: rows as Row[], ...(rows.length > 0 ? {} : { numAffectedRows: rowsIn(command) }) };
    } catch (error) {
      throw translatePostgresError(error);
    }
  }, ENGINE);
}

/** Kysely over one connection, with one round trip for each statement. */
export function kyselyOnClient(client: ClientBase): Db {
  return kyselyOn({ run: (statement) => runAlone(client, statement) });
}

/** Values are sent as text. The server converts each to the type that the statement needs. */
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

interface Lock {
  readonly name: LockName;
}

/**
 * Built once, so each is sent when it is called. A statement that is called after it, in the same round trip, runs with
 * the lock.
 */
const lock = statement((_, { name }: Lock) => sql`select pg_advisory_xact_lock(${lockKey(name)})`);
const lockShared = statement(
  (_, { name }: Lock) => sql`select pg_advisory_xact_lock_shared(${lockKey(name)})`,
);
const tryLock = statement(
  (_, { name }: Lock) =>
    sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${lockKey(name)}) as locked`,
);

export const postgresEngine: Engine = {
  name: 'postgres',
  announce: announceNothing,

  async lock(db, name) {
    await lock(db, { name });
  },

  async lockShared(db, name) {
    await lockShared(db, { name });
  },

  async tryLock(db, name) {
    const [tried] = await tryLock(db, { name });
    return tried?.locked === true;
  },
};
