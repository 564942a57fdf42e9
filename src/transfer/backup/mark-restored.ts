import { randomBytes } from 'node:crypto';
import type { LiveTable, MoveEnd } from '../../store/move-end.ts';
import type { Db } from '../../store/tables.ts';
import { recall, remember } from '../progress.ts';

/**
 * Ids that a restored database leaves out in each table. Those that were assigned after the backup are known outside,
 * such as in links to items, and must not name something else. This is more than ten days at a thousand ids a second.
 */
export const IDS_LEFT_OUT = 1_000_000_000;
const STEP = 'restored';

/**
 * Gives the prepared target an id that no database had, and notes that its rows are those of a backup. Does nothing
 * when a restore continues. `now` is in milliseconds since 1970.
 */
export async function markRestored(target: MoveEnd, now: number): Promise<void> {
  if ((await recall(target.db, STEP)) !== undefined) return;
  await target.transaction(async (db) => {
    await renew(db, now);
    await remember(db, STEP, String(now));
  });
}

/**
 * Does for a database that another program brought back what a restore does for the one that it fills: new ids are
 * higher by a billion, and then the database has another id. It may be repeated, also after it was killed.
 */
export async function markRestoredInPlace(
  end: MoveEnd,
  tables: readonly LiveTable[],
  now: number,
): Promise<void> {
  for (const { name, isNumbered } of tables)
    if (isNumbered) await end.setLastId(name, (await end.lastId(name)) + IDS_LEFT_OUT);
  await end.transaction((db) => renew(db, now));
}

/** Notes at the target of a move that its rows are those of a backup, where they are. Its id stays its own. */
export async function carryRestored(source: MoveEnd, target: MoveEnd): Promise<void> {
  const { restored_at } = await source.db
    .selectFrom('database_id')
    .select('restored_at')
    .executeTakeFirstOrThrow();
  await target.transaction(async (db) => {
    await db.updateTable('database_id').set({ restored_at }).execute();
  });
}

async function renew(db: Db, now: number): Promise<void> {
  const id = randomBytes(16).toString('hex');
  await db.updateTable('database_id').set({ id, restored_at: now }).execute();
}
