import { readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** When the database was restored from a backup, in milliseconds since 1970; 0 if it was not. */
export async function restoredAt(db: Db): Promise<number> {
  const row = await db.selectFrom('database_id').select('restored_at').executeTakeFirst();
  return row?.restored_at ?? 0;
}

export const findRestoredAt = readOperation('sessions.find_restored_at', restoredAt);
