import type { Db } from '../store/tables.ts';

/** What the target remembers of a step (schema/baseline/move.ts); undefined when the step has not begun. */
export async function recall(db: Db, step: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('move_progress')
    .select('value')
    .where('step', '=', step)
    .executeTakeFirst();
  return row?.value;
}

/** Puts the value in the place of an earlier one. */
export async function remember(db: Db, step: string, value: string): Promise<void> {
  await db
    .insertInto('move_progress')
    .values({ step, value })
    .onConflict((conflict) => conflict.column('step').doUpdateSet({ value }))
    .execute();
}

/** The move is finished: from now on a service may start on this database. */
export async function forgetProgress(db: Db): Promise<void> {
  await db.deleteFrom('move_progress').execute();
}
