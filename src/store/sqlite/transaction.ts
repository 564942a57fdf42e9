import type { DatabaseSync } from 'node:sqlite';
import { beginLog } from './log-origin.ts';

/**
 * Commits what `work` writes, or nothing of it where `work` throws. Where another process writes, the transaction
 * waits at its beginning, and never halfway.
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
 * Rolls back a transaction that failed, where SQLite has not ended it by itself. An error of the rollback itself is
 * ignored: on a damaged file SQLite only repeats the error of the last statement.
 */
export function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {}
}
