import type { Db } from '../store/tables.ts';

/** What the target remembers of a step; undefined when the step has not begun. */
export async function recall(db: Db, step: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('move_progress')
    .select('value')
    .where('step', '=', step)
    .executeTakeFirst();
  return row?.value;
}

export async function remember(db: Db, step: string, value: string): Promise<void> {
  await db
    .insertInto('move_progress')
    .values({ step, value })
    .onConflict((conflict) => conflict.column('step').doUpdateSet({ value }))
    .execute();
}

export async function forgetProgress(db: Db): Promise<void> {
  await db.deleteFrom('move_progress').execute();
}
