import type { DatabaseSync } from 'node:sqlite';
import type { LiveTable } from '../move-end.ts';

/**
 * Without SQLite's own tables, whose names begin with "sqlite_", and without the tables inside a full-text index
 * ("shadow"). Also without those that Litestream makes in each database that it copies ("_litestream_"): they have
 * nothing of Stoa, and another database must not get them.
 */
const TABLES = `
  SELECT listed.name, made.sql LIKE '%AUTOINCREMENT%' AS numbered
  FROM pragma_table_list AS listed JOIN sqlite_schema AS made ON made.type = 'table' AND made.name = listed.name
  WHERE listed.schema = 'main' AND listed.type IN ('table', 'virtual') AND listed.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND listed.name NOT LIKE '\\_litestream\\_%' ESCAPE '\\'
  ORDER BY listed.name`;
/** `hidden` marks computed columns, and those that a virtual table has for its own use. */
const COLUMNS =
  'SELECT name, lower(type) AS type, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid';

/** All tables of the database, by name. */
export function liveTables(database: DatabaseSync): LiveTable[] {
  const columnsOf = database.prepare(COLUMNS);
  return database
    .prepare(TABLES)
    .all()
    .map(({ name, numbered }) => {
      const columns = columnsOf.all(String(name)).map((column) => ({
        name: String(column.name),
        type: String(column.type),
        pk: Number(column.pk),
      }));
      return {
        name: String(name),
        columns: columns.map(({ name, type }) => ({ name, type })),
        key: columns
          .filter(({ pk }) => pk > 0)
          .toSorted((a, b) => a.pk - b.pk)
          .map(({ name }) => name),
        isNumbered: numbered === 1,
      };
    });
}
