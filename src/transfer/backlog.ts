import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MoveEnd } from '../store/move-end.ts';
import type { Engine, WriteOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Work that triggers leave behind for copied rows. In a service, a job does this work. */
export interface Backlog {
  /** The step as the operator reads it, such as "building the search index". */
  readonly step: string;
  /** How many rows wait. */
  readonly left: (db: Db, engine: Engine) => Promise<number>;
  /** Does some of the work; resolves with true while more is waiting. */
  readonly work: WriteOperation<null, boolean>;
}

/** About how long one transaction takes: long enough for few commits, short enough to repeat after a kill. */
const TRANSACTION_MS = 500;

const NOBODY: MoveListener = { begin: () => {}, reach: () => {} };

/** Does all waiting work at the target. After a kill, the next call continues. */
export async function workOff(
  target: MoveEnd,
  backlog: Backlog,
  listener: MoveListener = NOBODY,
): Promise<void> {
  const total = await backlog.left(target.db, target.engine);
  listener.begin(backlog.step, total);
  for (let goesOn = total > 0; goesOn; ) {
    goesOn = await target.transaction((db) => workForAWhile(db, target, backlog));
    listener.reach(total - (await backlog.left(target.db, target.engine)));
    // SQLite answers in the same turn of the event loop, so without this pause no signal would be noticed before the
    // end.
    await nextTurn();
  }
}

async function workForAWhile(db: Db, { engine }: MoveEnd, { work }: Backlog): Promise<boolean> {
  const until = performance.now() + TRANSACTION_MS;
  let goesOn = true;
  while (goesOn && performance.now() < until) goesOn = await work.run(db, null, engine);
  return goesOn;
}

/** Receives the step of a move, and how much of the step is done. `total` is 0 where it is unknown. */
export interface MoveListener {
  begin(step: string, total: number): void;
  reach(done: number): void;
}
