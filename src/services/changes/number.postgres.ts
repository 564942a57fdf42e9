import { sql } from 'kysely';
import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import type { Numbered } from './numbered.ts';

/**
 * One statement, so that all of it sees the same changes as committed. After a restore the sequence is beyond all numbers
 * that were known before (transfer/backup/read.ts).
 */
const move = statement(
  (_, { limit }: { limit: number }) => sql<Numbered>`
    with taken as (
      delete from unnumbered_changes
      where place in (select place from unnumbered_changes order by place limit ${limit}) returning *
    ), numbered as (
      insert into changes (number, event, item_id, account_id, version, owner_id, actor_id, audience, at)
      select newest.number + row_number() over (order by place),
        event, item_id, account_id, version, owner_id, actor_id, audience, at
      from taken, (
        select greatest(coalesce(max(number), 0), (
          select last_value from changes_number_seq where is_called
        )) as number from changes
      ) as newest
      returning number
    )
    select count(*) as count, coalesce(max(number), 0) as last from numbered`,
);

/** Gives numbers to at most `limit` changes that wait. `last` is the highest number given, and 0 where none waits. */
export async function numberWaiting(db: Db, limit: number): Promise<Numbered> {
  const [numbered] = await move(db, { limit });
  return { count: Number(numbered?.count ?? 0), last: Number(numbered?.last ?? 0) };
}
