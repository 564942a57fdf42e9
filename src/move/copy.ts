import type { LiveTable } from '../store/live-table.ts';
import type { MoveEnd } from '../store/move-end.ts';
import { recall, remember } from './progress.ts';
import { batchesOf, insertRows, type Key, keyOf } from './rows.ts';

/**
 * Copies the rows of the table that the target does not have yet. Each batch and the note of its last key are one
 * transaction, so that a move that was killed at any moment goes on with the next row. `onRows` is called with the
 * number of rows of each batch.
 */
export async function copyTable(
  source: MoveEnd,
  target: MoveEnd,
  table: LiveTable,
  onRows: (rows: number) => void,
): Promise<void> {
  const reached = await recall(target.db, table.name);
  const after = reached === undefined ? undefined : (JSON.parse(reached) as Key);
  for await (const rows of batchesOf(source.db, table, after)) {
    await target.transaction(async (db) => {
      await insertRows(db, table, rows);
      const last = rows.at(-1);
      if (last) await remember(db, table.name, JSON.stringify(keyOf(table, last)));
    });
    onRows(rows.length);
  }
}
