import type { Dialect } from '../../store/migration.ts';

/**
 * How far a move into this database has come (`stoa move`): for each table the last key that was copied, as
 * JSON, written in the transaction of its rows. Empty but for a move that is not finished.
 */
export function move({ key, tableOptions }: Dialect): string[] {
  return [
    `CREATE TABLE move_progress (step ${key} NOT NULL PRIMARY KEY, value TEXT NOT NULL)${tableOptions}`,
  ];
}
