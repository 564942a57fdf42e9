import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MoveEnd } from '../store/move-end.ts';
import type { WriteOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { MoveListener } from './listener.ts';

/** What triggers leave to be done for copied rows, and a feature does in the background otherwise. */
export interface Backlog {
  /** For the person who waits: "building the search index". */
  readonly step: string;
  /** How many rows wait. */
  readonly left: (db: Db) => Promise<number>;
  /** Does some of it; true while more is waiting. */
  readonly work: WriteOperation<null, boolean>;
}

/** One transaction lasts about this long: few commits, and little to do again when killed. */
const TRANSACTION_MS = 500;

/** Works off what waits at the target. Killed, it goes on when it is called again. */
export async function workOff(target: MoveEnd, backlog: Backlog, listener: MoveListener): Promise<void> {
  const total = await backlog.left(target.db);
  listener.begin(backlog.step, total);
  for (let goesOn = total > 0; goesOn; ) {
    goesOn = await target.transaction((db) => workForAWhile(db, target, backlog));
    listener.reach(total - (await backlog.left(target.db)));
    // SQLite answers at once, so without this no signal would be heard before the end.
    await nextTurn();
  }
}

async function workForAWhile(db: Db, { engine }: MoveEnd, { work }: Backlog): Promise<boolean> {
  const until = performance.now() + TRANSACTION_MS;
  let goesOn = true;
  while (goesOn && performance.now() < until) goesOn = await work.run(db, null, engine);
  return goesOn;
}
