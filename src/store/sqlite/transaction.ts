import type { DatabaseSync } from 'node:sqlite';
import { beginLog } from './log-origin.ts';
import { rollBack } from './roll-back.ts';

/**
 * Commits what `work` writes, or nothing of it if `work` throws. If another process writes, the transaction waits at
 * its beginning, and never halfway.
 */
export async function inTransaction<Result>(
  database: DatabaseSync,
  work: () => Promise<Result>,
): Promise<Result> {
  beginLog(database);
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
