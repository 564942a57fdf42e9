import { sql } from 'kysely';
import type { SchemaObject } from '../migration.ts';
import type { Db } from '../tables.ts';
import { OUR_SCHEMA } from './live-tables.ts';

/**
 * The indexes and constraints of the schema that we use. An index that belongs to a constraint is told of as the constraint.
 * NOT NULL is left out: only from version 18 on it is a constraint.
 */
export async function postgresObjects(db: Db): Promise<SchemaObject[]> {
  const { rows } = await sql<SchemaObject & { valid: boolean }>`
    select 'index' as kind, relname::text as name, pg_get_indexdef(indexrelid) as definition, indisvalid as valid
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = ${OUR_SCHEMA}
      and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
      and not exists (select from pg_depend where objid = indrelid and deptype = 'e')
    union all
    select 'constraint', relname || '.' || conname, pg_get_constraintdef(pg_constraint.oid), true
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where connamespace = ${OUR_SCHEMA} and contype in ('c', 'f', 'p', 'u', 'x')
    order by 1, 2`.execute(db);
  return rows.map(({ valid, ...each }) => (valid ? each : { ...each, isInvalid: true }));
}
