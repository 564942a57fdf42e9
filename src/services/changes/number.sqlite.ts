import { sql } from 'kysely';
import type { Db } from '../../store/tables.ts';
import type { Numbered } from './numbered.ts';

/** Changes that a move brought from PostgreSQL before they had numbers. The one writer lets nothing in between. */
export async function numberWaiting(db: Db, limit: number): Promise<Numbered> {
  const waiting = sql`unnumbered_changes order by place limit ${limit}`;
  const { rows } = await sql<{ number: number }>`
    insert into changes (event, item_id, account_id, version, owner_id, actor_id, audience, at)
    select event, item_id, account_id, version, owner_id, actor_id, audience, at from ${waiting}
    returning number`.execute(db);
  await sql`delete from unnumbered_changes where place in (select place from ${waiting})`.execute(db);
  return { count: rows.length, last: Math.max(0, ...rows.map(({ number }) => number)) };
}
