import type { Dialect } from '../../store/migration.ts';

/**
 * Exact totals and deep pages at a constant cost (docs/decisions/lists-and-search.md): how many visible rows a table
 * has in all, and in each bucket of 4,096 ids. Triggers update the counts, so no statement can forget them.
 *
 * - SQLite has one writer, so its triggers count in place.
 * - On PostgreSQL all inserts would wait for one another to change one counter. So each statement appends its change to
 *   `_bucket_changes`, and a job adds these up into `_bucket_sums` (store/postgres/counts.ts). The views `_buckets` and
 *   `_total` read both, so they are always exact.
 */
export function counts(table: string, dialect: Dialect): string[] {
  return dialect.engine === 'sqlite' ? sqlite(table, dialect) : postgres(table, dialect);
}

function sqlite(table: string, { integer, tableOptions }: Dialect): string[] {
  const added = (row: string) => `INSERT INTO ${table}_buckets (bucket, rows) VALUES (${row}.id / 4096, 1)
      ON CONFLICT (bucket) DO UPDATE SET rows = rows + 1;
      UPDATE ${table}_total SET rows = rows + 1;`;
  const removed = (
    row: string,
  ) => `UPDATE ${table}_buckets SET rows = rows - 1 WHERE bucket = ${row}.id / 4096;
      UPDATE ${table}_total SET rows = rows - 1;`;
  return [
    `CREATE TABLE ${table}_buckets (bucket ${integer} NOT NULL PRIMARY KEY, rows ${integer} NOT NULL)${tableOptions}`,
    `CREATE TABLE ${table}_total (rows ${integer} NOT NULL)${tableOptions}`,
    `INSERT INTO ${table}_total (rows) VALUES (0)`,
    `CREATE TRIGGER ${table}_counted_insert AFTER INSERT ON ${table} WHEN new.visible = 1 BEGIN ${added('new')} END`,
    `CREATE TRIGGER ${table}_counted_delete AFTER DELETE ON ${table} WHEN old.visible = 1 BEGIN ${removed('old')} END`,
    `CREATE TRIGGER ${table}_counted_show AFTER UPDATE OF visible ON ${table} WHEN new.visible > old.visible
      BEGIN ${added('new')} END`,
    `CREATE TRIGGER ${table}_counted_hide AFTER UPDATE OF visible ON ${table} WHEN new.visible < old.visible
      BEGIN ${removed('old')} END`,
  ];
}

/** A statement appends one change for each bucket that it touches: loading a million rows appends 245 changes. */
function postgres(table: string, { integer }: Dialect): string[] {
  return [
    `CREATE TABLE ${table}_bucket_sums (bucket ${integer} NOT NULL PRIMARY KEY, rows ${integer} NOT NULL)`,
    `CREATE TABLE ${table}_bucket_sums_total (rows ${integer} NOT NULL)`,
    `INSERT INTO ${table}_bucket_sums_total (rows) VALUES (0)`,
    `CREATE TABLE ${table}_bucket_changes (bucket ${integer} NOT NULL, rows ${integer} NOT NULL)`,
    `CREATE FUNCTION ${table}_bucket_sums_totalled() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      UPDATE ${table}_bucket_sums_total
        SET rows = rows + new.rows - CASE WHEN tg_op = 'UPDATE' THEN old.rows ELSE 0 END;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${table}_bucket_sums_totalled AFTER INSERT OR UPDATE ON ${table}_bucket_sums
      FOR EACH ROW EXECUTE FUNCTION ${table}_bucket_sums_totalled()`,
    `CREATE VIEW ${table}_buckets AS SELECT bucket, sum(rows)::BIGINT AS rows FROM (
        SELECT bucket, rows FROM ${table}_bucket_sums UNION ALL SELECT bucket, rows FROM ${table}_bucket_changes
      ) AS counted GROUP BY bucket`,
    `CREATE VIEW ${table}_total AS SELECT (
        (SELECT rows FROM ${table}_bucket_sums_total) + (SELECT coalesce(sum(rows), 0) FROM ${table}_bucket_changes)
      )::BIGINT AS rows`,
    ...changedRows(table, 'INSERT', 'NEW', 'count(*)'),
    ...changedRows(table, 'DELETE', 'OLD', '-count(*)'),
    `CREATE FUNCTION ${table}_counted_update() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO ${table}_bucket_changes (bucket, rows) VALUES (new.id / 4096, new.visible - old.visible);
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${table}_counted_update AFTER UPDATE OF visible ON ${table}
      FOR EACH ROW WHEN (new.visible <> old.visible) EXECUTE FUNCTION ${table}_counted_update()`,
  ];
}

function changedRows(table: string, event: string, rows: 'NEW' | 'OLD', count: string): string[] {
  const name = `${table}_counted_${event.toLowerCase()}`;
  return [
    `CREATE FUNCTION ${name}() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO ${table}_bucket_changes (bucket, rows)
        SELECT id / 4096, ${count} FROM changed WHERE visible = 1 GROUP BY 1;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${table}
      REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  ];
}
