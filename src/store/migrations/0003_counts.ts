import { BLOCK_SIZE } from '../blocks.ts';
import type { Migration } from '../migration.ts';

/**
 * Exact totals and deep pages at a constant cost (decisions 0010): how many rows exist in each run
 * of BLOCK_SIZE ids, and in all. Kept by triggers, so that no statement can forget it.
 *
 * - SQLite has one writer, so its triggers count in place.
 * - On PostgreSQL a counter that all inserts change would make them wait for one another. There each
 *   statement appends what it changed to `_deltas`; a background job folds those into `_folded`
 *   (store/postgres/counts.ts), and the views `_blocks` and `_total` sum both: exact at every moment.
 */
export const counts: Migration = {
  name: '0003_counts',
  statements: (dialect) =>
    ['users', 'content'].flatMap((table) =>
      dialect.engine === 'sqlite'
        ? [
            blocks(`${table}_blocks`, dialect),
            `CREATE TABLE ${table}_total (rows INTEGER NOT NULL) STRICT`,
            `INSERT INTO ${table}_total (rows) VALUES (0)`,
            ...sqliteTriggers(table),
          ]
        : [
            blocks(`${table}_folded`, dialect),
            `CREATE TABLE ${table}_deltas (block BIGINT NOT NULL, rows BIGINT NOT NULL)`,
            `CREATE VIEW ${table}_blocks AS SELECT block, sum(rows)::BIGINT AS rows
              FROM (SELECT block, rows FROM ${table}_folded UNION ALL SELECT block, rows FROM ${table}_deltas) AS counted
              GROUP BY block`,
            `CREATE VIEW ${table}_total AS SELECT coalesce(sum(rows), 0)::BIGINT AS rows FROM ${table}_blocks`,
            ...postgresTrigger(table, 'INSERT', 'NEW', 'count(*)'),
            ...postgresTrigger(table, 'DELETE', 'OLD', '-count(*)'),
          ],
    ),
};

function blocks(name: string, { integer, tableOptions }: { integer: string; tableOptions: string }): string {
  return `CREATE TABLE ${name} (
        block ${integer} NOT NULL PRIMARY KEY,
        rows ${integer} NOT NULL
      )${tableOptions}`;
}

function sqliteTriggers(table: string): string[] {
  return [
    `CREATE TRIGGER ${table}_counted_insert AFTER INSERT ON ${table} BEGIN
      INSERT INTO ${table}_blocks (block, rows) VALUES (new.id / ${BLOCK_SIZE}, 1)
      ON CONFLICT (block) DO UPDATE SET rows = rows + 1;
      UPDATE ${table}_total SET rows = rows + 1;
    END`,
    `CREATE TRIGGER ${table}_counted_delete AFTER DELETE ON ${table} BEGIN
      UPDATE ${table}_blocks SET rows = rows - 1 WHERE block = old.id / ${BLOCK_SIZE};
      UPDATE ${table}_total SET rows = rows - 1;
    END`,
  ];
}

/** One delta per statement and block, so that a load of a million rows appends 245 of them. */
function postgresTrigger(table: string, event: string, rows: 'NEW' | 'OLD', count: string): string[] {
  const name = `${table}_counted_${event.toLowerCase()}`;
  return [
    `CREATE FUNCTION ${name}() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO ${table}_deltas (block, rows)
        SELECT id / ${BLOCK_SIZE}, ${count} FROM changed GROUP BY 1;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${table}
      REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  ];
}
