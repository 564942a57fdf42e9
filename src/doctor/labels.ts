import { sql } from 'kysely';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { type Finding, finding, REPAIR } from './finding.ts';
import type { Snapshot } from './rows.ts';

/**
 * Labels whose counts, with the changes that wait, are not those of the items, and what has to be added to them. One
 * statement, so that no write is seen in part.
 */
function wrongLabels({ name }: Pick<Engine, 'name'>) {
  const isSqlite = name === 'sqlite';
  const bytes = isSqlite ? sql`` : sql`collate "C"`;
  const each = isSqlite ? sql`json_each(tags)` : sql`json_array_elements_text(tags::json) as each(value)`;
  return sql`with changes as (
      select category, tags, -items as items, -public_items as public_items from label_changes
      union all
      select category, tags, count(*), sum(case when visibility = 'public' then 1 else 0 end)
      from content where visible = 1 group by category, tags
    ), sums as (
      select kind, name, -items as items, -public_items as public_items from label_counts
      union all
      select 'category', category ${bytes}, items, public_items from changes where category <> ''
      union all
      select 'tag', value ${bytes}, items, public_items from changes, ${each}
    )
    select kind, name, sum(items) as items, sum(public_items) as public_items from sums
    group by kind, name having sum(items) <> 0 or sum(public_items) <> 0`;
}

/** How many labels have a stored count that differs from the items that have them. */
export async function countWrongLabels(db: Db, engine: Pick<Engine, 'name'>): Promise<number> {
  const { rows } = await sql<{ labels: number }>`
    select count(*) as labels from (${wrongLabels(engine)}) as wrong`.execute(db);
  return Number(rows[0]?.labels);
}

/** Do the counts of tags and categories agree with the items? */
export async function checkLabels({ db, engine }: Snapshot): Promise<Finding> {
  const labels = await countWrongLabels(db, engine);
  return labels === 0
    ? finding('labels', 'ok', 'The counts of tags and categories agree with the items.')
    : finding('labels', 'wrong', `The counts of ${labels} tags and categories are wrong; run "${REPAIR}".`);
}

/** Adds what is missing to the changes that wait. The job of the service adds them up, now or after its next start. */
export async function correctLabels(db: Db, engine: Engine): Promise<void> {
  await engine.lock(db, 'counting labels');
  const tags = engine.name === 'sqlite' ? sql`json_array(name)` : sql`json_build_array(name)::text`;
  await sql`insert into label_changes (category, tags, items, public_items)
    select case kind when 'category' then name else '' end, case kind when 'tag' then ${tags} else '[]' end,
      items, public_items
    from (${wrongLabels(engine)}) as wrong`.execute(db);
}
