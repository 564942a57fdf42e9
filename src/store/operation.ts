import type { Statement } from './statement.ts';
import type { Db } from './tables.ts';

/** What instances have to forget of the database: whatever they remember under this key, or everything. */
export type Change = 'anything' | { readonly key: string };

/**
 * What an operation may ask of the engine, besides the tables. `name` picks one file of a pair where the engines
 * truly differ (`search.sqlite.ts` and `search.postgres.ts` of a feature); nothing else may depend on the name.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** Tells all instances (`Store.onChange`) when the write that calls `publish` commits; never, when it fails. */
  publish(db: Db, change: Change): Promise<void>;
  /** Waits until no other write holds this name. The calling write then holds the name until it ends. */
  lock(db: Db, name: string): Promise<void>;
  /** As `lock`, but does not wait: false when another write holds the name. */
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
  /** True when the operation can take more than a millisecond on this input. It then runs beside the HTTP thread. */
  readonly isLong: (input: Input) => boolean;
  /** True for a write that `statementWrite` made of one statement: it needs no transaction around it. */
  readonly isOneStatement: boolean;
  /** True for a write that steps aside for others (`Lull`). It takes a few milliseconds at most. */
  readonly isBackground: boolean;
  /**
   * True for a background write that changes only what can be made again from the rows. On SQLite it runs beside the
   * writer and sees the rows, but is on disk a moment after it resolves, and a crash of the machine may take it back.
   */
  readonly isDerived: boolean;
}

export type ReadOperation<Input, Output> = Operation<'read', Input, Output>;
export type WriteOperation<Input, Output> = Operation<'write', Input, Output>;
type Run<Input, Output> = Operation<'read', Input, Output>['run'];

/** A read. It is short, unless `isLong` says otherwise for an input. `name` is unique among all operations. */
export function readOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  isLong: (input: Input) => boolean = () => false,
): ReadOperation<Input, Output> {
  return { kind: 'read', name, run, isLong, isOneStatement: false, isBackground: false, isDerived: false };
}

/** A write, in a transaction that the store opens for it. `name` is unique among all operations. */
export function writeOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  { isBackground = false, isDerived = false } = {},
): WriteOperation<Input, Output> {
  return { kind: 'write', name, run, isLong: () => true, isOneStatement: false, isBackground, isDerived };
}

/**
 * A write that is one statement. On PostgreSQL it shares its round trip and its commit with other such writes, so
 * it is the form for hot paths. `toOutput` gets the rows that the statement returned. The change is made even if
 * `toOutput` throws, so it may only throw where the statement changed nothing.
 */
export function statementWrite<Input extends object, Row, Output>(
  name: string,
  change: Statement<Input, Row>,
  toOutput: (rows: Row[]) => Output,
): WriteOperation<Input, Output> {
  const run = async (db: Db, input: Input) => toOutput(await change(db, input));
  const [isOneStatement, isBackground, isDerived] = [true, false, false];
  return { kind: 'write', name, run, isLong: () => true, isOneStatement, isBackground, isDerived };
}
