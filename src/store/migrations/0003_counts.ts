import { BLOCK_SIZE } from '../blocks.ts';
import type { Migration } from '../migration.ts';

/**
 * Exact totals and deep pages at a constant cost (decisions 0010): how many rows exist in each run
 * of BLOCK_SIZE ids. Kept by triggers, so that no statement can forget it.
 */
export const counts: Migration = {
  name: '0003_counts',
  statements: ({ engine, integer, tableOptions }) =>
    ['users', 'content'].flatMap((table) => [
      `CREATE TABLE ${table}_blocks (
        block ${integer} NOT NULL PRIMARY KEY,
        rows ${integer} NOT NULL
      )${tableOptions}`,
      ...(engine === 'sqlite' ? sqliteTriggers(table) : []),
    ]),
};

function sqliteTriggers(table: string): string[] {
  return [
    `CREATE TRIGGER ${table}_counted_insert AFTER INSERT ON ${table} BEGIN
      INSERT INTO ${table}_blocks (block, rows) VALUES (new.id / ${BLOCK_SIZE}, 1)
      ON CONFLICT (block) DO UPDATE SET rows = rows + 1;
    END`,
    `CREATE TRIGGER ${table}_counted_delete AFTER DELETE ON ${table} BEGIN
      UPDATE ${table}_blocks SET rows = rows - 1 WHERE block = old.id / ${BLOCK_SIZE};
    END`,
  ];
}
