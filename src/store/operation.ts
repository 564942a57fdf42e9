import type { Asker } from '../domain/admission/fair-queue.ts';
import type { LockName } from '../domain/lock-names.ts';
import type { Announcement } from './announcements.ts';
import type { Statement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * What an operation may use of the engine, in addition to the tables. `name` selects one file of a pair where the
 * engines truly differ (`<verb>.sqlite.ts` and `<verb>.postgres.ts` of a feature). Nothing else may depend on the name.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /**
   * Tells every listener (`Store.onAnnouncement`) when the write commits. A write that fails tells nobody.
   */
  announce(db: Db, announcement: Announcement): Promise<void>;
  /** Waits until no other write has locked this name. The calling write then holds the lock until its end. */
  lock(db: Db, name: LockName): Promise<void>;
  /**
   * As `lock`, but other writes may share the lock, unless one waits for it with `lock`. So that one does not wait
   * for those that come later.
   */
  lockShared(db: Db, name: LockName): Promise<void>;
  /** As `lock`, but does not wait: false if another write holds the lock. */
  tryLock(db: Db, name: LockName): Promise<boolean>;
}

/**
 * A named unit of work on the database. It checks its rule and makes its change together, so that no rule is decided on
 * stale data. Input and output are plain data, because an operation may run in another thread. It fails with a Failure,
 * which the client sees, or with any other error, which is a fault of ours. Either way nothing is changed.
 */
export interface Operation<Kind extends 'read' | 'write', Input, Output> {
  readonly kind: Kind;
  readonly name: string;
  readonly run: (db: Db, input: Input, engine: Engine) => Promise<Output>;
}

export interface ReadOperation<Input, Output> extends Operation<'read', Input, Output> {
  /** True if the read can take more than a millisecond for this input. It then runs outside of the HTTP thread. */
  readonly isLong: (input: Input) => boolean;
  /**
   * For a short read that many ask for: about how many bytes an output has. They share the output (`SharedReads`), so
   * nobody changes it.
   */
  bytesOf?(output: Output): number;
}

export interface WriteOperation<Input, Output> extends Operation<'write', Input, Output> {
  /** True for a write that `statementWrite` made of one statement. It needs no transaction. */
  readonly isOneStatement: boolean;
  /** True for background work of a few milliseconds. On SQLite it waits for a pause between other writes (`WritePause`). */
  readonly isBackground: boolean;
  /**
   * True for a background write that changes only what can be made again from the rows. On SQLite it runs outside of
   * the writer thread. It sees the rows, but is on disk a moment after it resolves, and a crash of the machine may undo
   * it.
   */
  readonly isDerived: boolean;
  /**
   * For a write that may wait for others: who asks for it. On PostgreSQL, one asker has few of the connections. A write
   * without an asker waits for no turn.
   */
  askerOf?(input: Input): Asker | undefined;
  /**
   * In which turns it waits. Writes of one asker that exclude each other are `exclusive`: they have connections of their
   * own, and each asker has one of these.
   */
  readonly turns: 'ordinary' | 'exclusive';
}

type Run<Input, Output> = Operation<'read', Input, Output>['run'];

/** A read. It is short unless `isLong` says otherwise for an input. `name` is unique among all operations. */
export function readOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  isLong: (input: Input) => boolean = () => false,
  bytesOf?: (output: Output) => number,
): ReadOperation<Input, Output> {
  return { kind: 'read', name, run, isLong, ...(bytesOf && { bytesOf }) };
}

/** A write, in a transaction that the store opens for it. `name` is unique among all operations. */
export function writeOperation<Input, Output>(
  name: string,
  run: Run<Input, Output>,
  {
    isBackground = false,
    isDerived = false,
    turns = 'ordinary',
    askerOf,
  }: Partial<Pick<WriteOperation<Input, Output>, 'isBackground' | 'isDerived' | 'turns' | 'askerOf'>> = {},
): WriteOperation<Input, Output> {
  const write = { name, run, isOneStatement: false, isBackground, isDerived, turns };
  return { kind: 'write', ...write, ...(askerOf && { askerOf }) };
}

/**
 * A write of one statement. On PostgreSQL it shares its round trip and its commit with other such writes, so hot paths
 * use this form. Where the engines truly differ, `change` has a statement for each. `toOutput` gets the rows that the
 * statement returned. The change is made even if `toOutput` throws, so it may only throw if the statement changed
 * nothing.
 */
export function statementWrite<Input extends object, Row, Output>(
  name: string,
  change: Statement<Input, Row> | Readonly<Record<Engine['name'], Statement<Input, Row>>>,
  toOutput: (rows: Row[]) => Output,
): WriteOperation<Input, Output> {
  const changeOn = (engine: Engine) => (typeof change === 'function' ? change : change[engine.name]);
  const run = async (db: Db, input: Input, engine: Engine) => toOutput(await changeOn(engine)(db, input));
  const write = { isOneStatement: true, isBackground: false, isDerived: false, turns: 'ordinary' } as const;
  return { kind: 'write', name, run, ...write };
}

/** Runs a write, and returns its output with what it announced. No listener may get that before the commit. */
export async function runWrite<Input, Output>(
  { run }: Pick<WriteOperation<Input, Output>, 'run'>,
  db: Db,
  input: Input,
  engine: Engine,
  send: Engine['announce'] = async () => {},
): Promise<{ readonly value: Output; readonly announcements: readonly Announcement[] }> {
  const announcements: Announcement[] = [];
  const announce: Engine['announce'] = async (on, announcement) => {
    announcements.push(announcement);
    await send(on, announcement);
  };
  return { value: await run(db, input, { ...engine, announce }), announcements };
}

/** `Engine.announce` for work that is no write of the store. */
export function announceNothing(): Promise<never> {
  return Promise.reject(new Error('Only a write announces, and no write of what is derived.'));
}
