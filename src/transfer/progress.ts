import type { Db } from '../store/tables.ts';

/** What the target has stored about a step (schema/baseline/move.ts). Undefined when the step has not begun. */
export async function recall(db: Db, step: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('move_progress')
    .select('value')
    .where('step', '=', step)
    .executeTakeFirst();
  return row?.value;
}

/** Stores the value, and replaces an earlier one. */
export async function remember(db: Db, step: string, value: string): Promise<void> {
  await db
    .insertInto('move_progress')
    .values({ step, value })
    .onConflict((conflict) => conflict.column('step').doUpdateSet({ value }))
    .execute();
}

/** Marks the move as finished. A service may now start on this database. */
export async function forgetProgress(db: Db): Promise<void> {
  await db.deleteFrom('move_progress').execute();
}
