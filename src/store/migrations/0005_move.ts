import type { Migration } from '../migration.ts';

/**
 * How far a move into this database has come (`stoa move`): for each table the last key that was
 * copied, as JSON, written in the transaction of its rows. Empty but for a move that is not finished.
 */
export const move: Migration = {
  name: '0005_move',
  statements: ({ key, tableOptions }) => [
    `CREATE TABLE move_progress (
      step ${key} NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    )${tableOptions}`,
  ],
};
