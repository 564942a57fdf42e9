import type { DatabaseSync } from 'node:sqlite';
import { beginLog } from './log-origin.ts';

/**
 * Commits what `work` writes, or nothing of it if it throws. It waits at its beginning for another
 * process that writes, and not halfway.
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
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/**
 * Ends a transaction that failed, where SQLite has not ended it by itself. Its own failure says nothing
 * new: on a damaged file SQLite gives the error of the last statement once more.
 */
export function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {}
}
