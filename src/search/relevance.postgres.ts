import { sql } from 'kysely';
import type { IdSet } from '../store/id-set.ts';
import type { Db } from '../store/tables.ts';

/** PostgreSQL reads all matches for a count, and for a page as well. So each set is read once, for both. */
export async function mostRelevant(db: Db, sets: readonly IdSet[], limit: number, offset: number) {
  const names = sets.map((_, at) => sql.table(`set_${at}`));
  const read = sets.map((set, at) => sql`${names[at]} as materialized (${set})`);
  const all = names.at(-1);
  const betterFirst = names.slice(0, -1).map((name) => sql`id in (select id from ${name}) desc`);
  const { rows } = await sql<{ id: number; total: number | null }>`
    with ${sql.join(read)}
    select 0 as id, count(*) as total from ${all}
    union all
    select id, null as total from (
      select id from ${all} order by ${sql.join([...betterFirst, sql`id desc`])} limit ${limit} offset ${offset}
    ) as page`.execute(db);
  const total = rows.find((row) => row.total !== null)?.total ?? 0;
  return { items: rows.filter((row) => row.total === null).map(({ id }) => id), total };
}
