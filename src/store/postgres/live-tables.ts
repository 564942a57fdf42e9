import { sql } from 'kysely';
import type { LiveTable } from '../move-end.ts';
import type { Db } from '../tables.ts';

/** The schema that we use. Without the quotes the cast would take its capitals for small letters. */
export const OUR_SCHEMA = sql`quote_ident(current_schema())::regnamespace`;

/** All tables of the schema that we use, by name, without those of an extension. */
export async function liveTables(db: Db): Promise<LiveTable[]> {
  const { rows } = await sql<LiveTable>`
    select relname as name,
      (
        select coalesce(json_agg(json_build_object('name', attname, 'type', ${TYPE}) order by attnum), '[]')
        from pg_attribute join pg_type on pg_type.oid = atttypid
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
      ) as columns,
      (
        select coalesce(json_agg(attname order by place), '[]')
        from pg_index cross join unnest(indkey) with ordinality as part (number, place)
          join pg_attribute on attrelid = indrelid and attnum = number
        where indrelid = pg_class.oid and indisprimary
      ) as key,
      exists (select from pg_attribute where attrelid = pg_class.oid and attidentity <> '') as "isNumbered"
    from pg_class
    where relnamespace = ${OUR_SCHEMA} and relkind in ('r', 'p', 'f', 'm')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname`.execute(db);
  return rows;
}

/** SQLite has one type for all widths of integers. */
const TYPE = sql`case when typname in ('int2', 'int4', 'int8') then 'integer' else typname::text end`;
