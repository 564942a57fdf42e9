import type { Dialect } from '../../store/migration.ts';

/**
 * How far a move into this database has come (`stoa move`): its source, and for each table the last key that was
 * copied, as JSON, written in the transaction of its rows. The table has rows only while a move is not finished.
 */
export function move({ key, tableOptions }: Dialect): string[] {
  return [
    `CREATE TABLE move_progress (step ${key} NOT NULL PRIMARY KEY, value TEXT NOT NULL)${tableOptions}`,
  ];
}
