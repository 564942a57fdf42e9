import { OperatorError } from '../domain/operator-error.ts';
import { UniqueViolation } from '../store/constraint.ts';
import type { LiveTable, MoveEnd } from '../store/move-end.ts';
import { type Backlog, type MoveListener, workOff } from './backlog.ts';
import { type Checksum, checksumOf } from './checksum.ts';
import { recall, remember } from './progress.ts';
import { countOf, insertRows, type Key, keyOf } from './rows.ts';
import type { Source } from './source.ts';

/** The two ends differ. The message says why and what to do. */
export class MoveError extends OperatorError {}

/** One line of the proof: what both ends have in a table. */
export interface Proof extends Checksum {
  readonly table: string;
}

/**
 * Copies the rows of these tables that the target does not have yet, does the backlogs, compares both ends row by
 * row, and returns the proof. Both ends must be prepared (prepare.ts; a backup by backup/read.ts). No service starts on
 * the target before `forgetProgress`. Fails with MoveError when the ends differ.
 */
export async function move(
  source: Source,
  target: MoveEnd,
  tables: readonly LiveTable[],
  backlogs: readonly Backlog[],
  listener: MoveListener,
): Promise<Proof[]> {
  for (const table of tables) await copy(source, target, table, listener);
  for (const table of tables) {
    if (table.isNumbered) await target.setLastId(table.name, await source.lastId(table));
  }
  for (const backlog of backlogs) await workOff(target, backlog, listener);
  listener.begin('building other indexes', 0);
  await target.finish();
  const proof: Proof[] = [];
  for (const table of tables) proof.push(await prove(source, target, table, listener));
  return proof;
}

/**
 * Copies the rows of the table that the target does not have yet. Each batch and the note of its last key are one
 * transaction, so a move that was killed at any moment continues with the next row.
 */
async function copy(
  source: Source,
  target: MoveEnd,
  table: LiveTable,
  listener: MoveListener,
): Promise<void> {
  const total = await source.count(table);
  let done = await countOf(target.db, table);
  listener.begin(`copying ${table.name}`, total);
  listener.reach(done);
  const reached = await recall(target.db, table.name);
  const after = reached === undefined ? undefined : (JSON.parse(reached) as Key);
  try {
    for await (const rows of source.batches(table, after)) {
      await target.transaction(async (db) => {
        await insertRows(db, table, rows);
        const last = rows.at(-1);
        if (last) await remember(db, table.name, JSON.stringify(keyOf(table, last)));
      });
      done += rows.length;
      listener.reach(done);
    }
  } catch (error) {
    if (error instanceof UniqueViolation) throw changed(table.name, error.message);
    throw error;
  }
}

async function prove(
  source: Source,
  target: MoveEnd,
  table: LiveTable,
  listener: MoveListener,
): Promise<Proof> {
  listener.begin(`comparing ${table.name}`, 2 * (await source.count(table)));
  let done = 0;
  const onRows = (rows: number) => {
    done += rows;
    listener.reach(done);
  };
  const [here, there] = await Promise.all([
    source.checksum(table, onRows),
    checksumOf(target.db, table, onRows),
  ]);
  if (here.rows === there.rows && here.sum === there.sum) return { table: table.name, ...here };
  throw changed(
    table.name,
    `${here.rows} rows with checksum ${here.sum} in the ${source.name}, ` +
      `${there.rows} rows with ${there.sum} in the ${target.name}`,
  );
}

function changed(table: string, difference: string): MoveError {
  return new MoveError(
    `"${table}" differs: ${difference}. ` +
      'One of the two has changed since this began; give an empty target and run it again.',
  );
}
