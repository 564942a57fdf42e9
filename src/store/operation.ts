import type { Statement } from './statement.ts';
import type { Db } from './tables.ts';

/** What an instance may remember of the database and has to forget: what has this key, or all of it. */
export type Change = 'anything' | { readonly key: string };

/**
 * What an operation may ask of the engine beside its tables. `name` picks the half of a pair where the
 * engines truly differ (as `search.sqlite.ts` and `search.postgres.ts` of a feature); it decides nothing else.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** Tells all instances when the write that calls it commits (`Store.onChange`). */
  publish(db: Db, change: Change): Promise<void>;
  /** Waits until no other write holds this name, and holds it until the write that asks ends. */
  lock(db: Db, name: string): Promise<void>;
  /** The same without waiting: false when another write holds the name. */
  tryLock(db: Db, name: string): Promise<boolean>;
}

/**
 * A named unit of work against the database: it checks its rule and makes its change together, so that no
 * rule is decided on stale data. Input and output are plain data, because an operation may run in another
 * thread. It fails by throwing a Failure (told to the client, nothing is changed) or anything else (a fault
 * of ours, nothing is changed).
 */
export interface Operation<Kind extends 'read' | 'write', Input, Output> {
  readonly kind: Kind;
  readonly name: string;
  readonly run: (db: Db, input: Input, engine: Engine) => Promise<Output>;
  /** True when this input can take more than a millisecond: it then runs beside the HTTP thread. */
  readonly isLong: (input: Input) => boolean;
  /** True for a write that is one statement by its making (`statementWrite`): it needs no transaction around it. */
  readonly isOneStatement: boolean;
  /** True for a write that steps aside for others (`Lull`). It takes a few milliseconds at most. */
  readonly isBackground: boolean;
}

export type ReadOperation<Input, Output> = Operation<'read', Input, Output>;
export type WriteOperation<Input, Output> = Operation<'write', Input, Output>;
type Run<Input, Output> = Operation<'read', Input, Output>['run'];

export function readOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  isLong: (input: Input) => boolean = () => false,
): ReadOperation<Input, Output> {
  return { kind: 'read', name, run, isLong, isOneStatement: false, isBackground: false };
}

export function writeOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  { isBackground = false } = {},
): WriteOperation<Input, Output> {
  return { kind: 'write', name, run, isLong: () => true, isOneStatement: false, isBackground };
}

/**
 * A write that is one statement. On PostgreSQL it shares its round trip and its commit with others that wait,
 * so it is the form for hot paths. `toOutput` sees the rows that the statement returned; the change is made
 * even if it throws, so it may only throw where the statement changed nothing.
 */
export function statementWrite<Input extends object, Row, Output>(
  name: string,
  change: Statement<Input, Row>,
  toOutput: (rows: Row[]) => Output,
): WriteOperation<Input, Output> {
  const run = async (db: Db, input: Input) => toOutput(await change(db, input));
  return { kind: 'write', name, run, isLong: () => true, isOneStatement: true, isBackground: false };
}
