import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MoveEnd } from '../store/move-end.ts';
import type { Engine, WriteOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { MoveListener } from './listener.ts';

/** Work that the triggers leave behind for copied rows. In a service, a job of a feature does this work. */
export interface Backlog {
  /** What the person who waits is told: "building the search index". */
  readonly step: string;
  /** How many rows wait. */
  readonly left: (db: Db, engine: Engine) => Promise<number>;
  /** Does some of the work; resolves with true while more is waiting. */
  readonly work: WriteOperation<null, boolean>;
}

/** About how long one transaction takes: long enough for few commits, short enough to do again after a kill. */
const TRANSACTION_MS = 500;

/** Does all of the work that waits at the target. After a kill, the next call goes on where this one was. */
export async function workOff(target: MoveEnd, backlog: Backlog, listener: MoveListener): Promise<void> {
  const total = await backlog.left(target.db, target.engine);
  listener.begin(backlog.step, total);
  for (let goesOn = total > 0; goesOn; ) {
    goesOn = await target.transaction((db) => workForAWhile(db, target, backlog));
    listener.reach(total - (await backlog.left(target.db, target.engine)));
    // SQLite answers in the same turn of the event loop: without this, no signal would be heard before the end.
    await nextTurn();
  }
}

async function workForAWhile(db: Db, { engine }: MoveEnd, { work }: Backlog): Promise<boolean> {
  const until = performance.now() + TRANSACTION_MS;
  let goesOn = true;
  while (goesOn && performance.now() < until) goesOn = await work.run(db, null, engine);
  return goesOn;
}
