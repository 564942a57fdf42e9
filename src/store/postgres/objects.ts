import { type RawBuilder, sql } from 'kysely';
import type { SchemaObject } from '../migration.ts';
import type { Db } from '../tables.ts';
import { OUR_SCHEMA } from './live-tables.ts';

/**
 * What the schema that we use has. An index that belongs to a constraint is told of as the constraint. A view is told of
 * by its columns, because each version of the server writes its statement differently.
 */
export async function postgresObjects(db: Db): Promise<SchemaObject[]> {
  const { rows } = await sql<SchemaObject & { valid: boolean }>`
    select 'index' as kind, relname::text as name, ${unqualified(sql`pg_get_indexdef(indexrelid)`)} as definition,
      indisvalid as valid
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = ${OUR_SCHEMA}
      and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
      and not exists (select from pg_depend where objid = indrelid and deptype = 'e')
    union all
    select 'constraint', relname || '.' || conname, pg_get_constraintdef(pg_constraint.oid), true
    from pg_constraint join pg_class on pg_class.oid = conrelid
    -- NOT NULL is with the columns: only from version 18 on it is a constraint too.
    where connamespace = ${OUR_SCHEMA} and contype in ('c', 'f', 'p', 'u', 'x')
    union all
    select 'column', relname || '.' || attname, ${COLUMN}, true from ${COLUMNS} and relkind in ('r', 'p')
    union all
    select 'view', relname, string_agg(attname || ' ' || ${COLUMN}, ', ' order by attname), true
    from ${COLUMNS} and relkind = 'v' group by relname
    union all
    select 'function', proname || '(' || pg_get_function_identity_arguments(oid) || ')',
      ${unqualified(sql`pg_get_functiondef(oid)`)}, true
    from pg_proc where pronamespace = ${OUR_SCHEMA} and prokind = 'f'
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all
    select 'trigger', relname || '.' || tgname, ${unqualified(sql`pg_get_triggerdef(pg_trigger.oid)`)}, true
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = ${OUR_SCHEMA} and not tgisinternal
    order by 1, 2`.execute(db);
  return rows.map(({ valid, ...each }) => (valid ? each : { ...each, isInvalid: true }));
}

/** A definition without the name of our schema, which another database may call otherwise. */
function unqualified(definition: RawBuilder<unknown>) {
  const schema = sql`quote_ident(current_schema()) || '.'`;
  return sql`replace(replace(${definition}, ' ON ' || ${schema}, ' ON '), ' FUNCTION ' || ${schema}, ' FUNCTION ')`;
}

const COLUMNS = sql`pg_attribute join pg_class on pg_class.oid = attrelid
  left join pg_collation on pg_collation.oid = attcollation and collname <> 'default'
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace = ${OUR_SCHEMA} and attnum > 0 and not attisdropped
    and not exists (select from pg_depend where objid = attrelid and deptype = 'e')`;

const COLUMN = sql`format_type(atttypid, atttypmod) || case when attnotnull then ' NOT NULL' else '' end
  || coalesce(' COLLATE ' || collname, '') || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '')
  || case attidentity when '' then '' else ' IDENTITY' end`;
