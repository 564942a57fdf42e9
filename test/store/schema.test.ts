// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { PLACES, type Place } from '../support/place.ts';
import { newMigratedDatabase } from '../support/postgres.ts';
import { SEALING_KEY } from '../support/sealing.ts';
import { startHere } from '../support/service.ts';

/**
 * What a fresh database of each engine has, a line for each. After a new step of the schema, write the fixtures again
 * (`npx node --test --test-update-snapshots test/store/schema.test.ts`) and read what has changed: only the new step.
 */
const FIXTURES: Record<string, string> = { SQLite: 'schema.sqlite.txt', PostgreSQL: 'schema.postgres.txt' };

/** Steps with the checksums that databases have of them. */
const STEPS = `SELECT 'step' AS kind, name, checksum AS definition FROM migrations`;

/** The tables in which SQLite keeps an index of words are its own. */
const OF_SQLITE = ['sqlite_schema', 'derived.sqlite_schema'].map(
  (schema) => `SELECT type AS kind, name, coalesce(sql, '') AS definition FROM ${schema} WHERE name NOT IN
    (SELECT name FROM pragma_table_list WHERE type = 'shadow') AND name NOT LIKE 'sqlite_stat%'`,
);

const OURS = (column: string) => `${column} = 'public'::regnamespace`;

/** NOT NULL is with the columns: only from version 18 on it is a constraint too. */
const OF_POSTGRES = [
  `SELECT CASE relkind WHEN 'v' THEN 'view' ELSE 'table' END AS kind, relname || '.' || attname AS name,
    format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END ||
    coalesce(' COLLATE ' || collname, '') || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '') ||
    CASE attidentity WHEN '' THEN '' ELSE ' IDENTITY' END AS definition
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation AND collname <> 'default'
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE ${OURS('relnamespace')} AND relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped`,
  `SELECT 'index' AS kind, indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = 'public'`,
  `SELECT 'constraint' AS kind, conrelid::regclass || '.' || conname AS name,
    pg_get_constraintdef(oid) AS definition FROM pg_constraint
    WHERE ${OURS('connamespace')} AND contype IN ('c', 'f', 'p', 'u', 'x')`,
  `SELECT 'trigger' AS kind, tgname AS name, pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE NOT tgisinternal`,
  `SELECT 'function' AS kind, proname AS name, pg_get_functiondef(oid) AS definition FROM pg_proc
    WHERE ${OURS('pronamespace')} AND NOT EXISTS
    (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')`,
];

for (const { name, newEmptyPlace } of PLACES)
  it(`A fresh database on ${name} has the schema and the checksums of steps that are written down`, async (t) => {
    const place = await newEmptyPlace(t);
    await (await startHere(t, { DATABASE_URL: place.url })).stop();
    const lines = await schemaOf(place, [STEPS, ...(name === 'SQLite' ? OF_SQLITE : OF_POSTGRES)]);
    for (const step of MIGRATIONS) assert.ok(lines.some((line) => line.startsWith(`step ${step.name} `)));
    t.assert.fileSnapshot(lines, new URL(`../fixtures/${FIXTURES[name]}`, import.meta.url).pathname, {
      serializers: [(value: string[]) => `${value.join('\n')}\n`],
    });
  });

it('The parts of the schema that the doctor expects on PostgreSQL are those of a fresh database', async (t) => {
  const { database } = readConfig({ DATABASE_URL: await newMigratedDatabase(), SEALING_KEY });
  const end = await openMoveEnd(database, 'source');
  t.after(() => end.close());
  const written: Record<string, Record<string, string>> = {};
  for (const { kind, name, definition } of await end.objects())
    written[kind] = { ...written[kind], [name]: definition };
  t.assert.fileSnapshot(
    written,
    new URL('../../src/schema/objects.postgres.json', import.meta.url).pathname,
    {
      serializers: [(value: object) => `${JSON.stringify(value, null, 2)}\n`],
    },
  );
});

/** A line for each: what it is, its name, its definition. */
async function schemaOf(place: Place, queries: readonly string[]): Promise<string[]> {
  const rows = [];
  for (const each of queries) rows.push(...(await place.sql(each)));
  const lines = rows.map(({ kind, name, definition }) => `${kind} ${name} ${definition}`);
  return lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()).sort();
}
