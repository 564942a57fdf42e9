import type { DatabaseSync } from 'node:sqlite';

/**
 * Rolls back a failed transaction, unless SQLite has ended it by itself. An error of the rollback is ignored: on a
 * damaged file SQLite only repeats the error of the last statement.
 */
export function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {}
}
