import { type RawBuilder, sql } from 'kysely';
import type { IdSet } from '../id-set.ts';
import type { Label, Labelled, Labels } from '../operation.ts';
import { statement } from '../statement.ts';
import type { Db } from '../tables.ts';
import { isNewFor } from './content-indexed.ts';

/**
 * Filtering content with SQLite (decisions 0025). `content_labels` is one index by author, category and
 * tag. A new item touches a page of it for each of its labels, which costs more than all the rest of
 * its creation, so new items are put in a moment later, many at once: all up to the id in `content_indexed`
 * are in it, and those after it are read directly. Exact at any moment.
 */

/** One round takes this many ids at most: some 20 ms of the writer's time. */
const ROUND_IDS = 4_096;

/** Looks the first label up, and asks the primary key for each of the others. */
export function contentLabelled([first, ...others]: Labelled): IdSet {
  const joins = others.map((label, at) => {
    const other = sql.table(`other_${at}`);
    return sql`cross join content_labels as ${other}
      on ${other}.label = ${textOf(label)} and ${other}.content_id = first.content_id`;
  });
  const waiting = [first, ...others].map(isWaitingWith);
  return sql`select first.content_id as id from content_labels as first ${sql.join(joins, sql` `)}
    where first.label = ${textOf(first)}
    union all
    select id from content where id > (select labels from content_indexed) and ${sql.join(waiting, sql` and `)}`;
}

/** As the index has it; `labelBetween` makes the same. */
function textOf({ kind, value }: Label): string {
  return `${kind}=${value}`;
}

function isWaitingWith({ kind, value }: Label): RawBuilder<unknown> {
  if (kind === 'tag')
    return sql`exists (select 1 from json_each(content.tags) as tag where tag.value = ${value})`;
  return sql`${sql.ref(kind === 'author' ? 'author_id' : 'category')} = ${value}`;
}

const progress = statement(
  () => sql<{ labels: number; last: number }>`
    select labels, coalesce((select max(id) from content), 0) as last from content_indexed`,
);

/**
 * In the order of the index, so that each of its pages is changed once. Nothing can conflict; "or rollback"
 * says so, or SQLite would keep a copy of each page to undo this statement alone.
 */
const labelBetween = statement(
  (_, { after, until }: { after: number; until: number }) => sql`
    insert or rollback into content_labels (label, content_id)
    select 'author=' || author_id, id from content where id > ${after} and id <= ${until}
    union all
    select 'category=' || category, id from content where id > ${after} and id <= ${until} and category <> ''
    union all
    select 'tag=' || tag.value, content.id from content, json_each(content.tags) as tag
    where content.id > ${after} and content.id <= ${until}
    order by 1, 2`,
);

/** Puts some of the new items into the index; true when more are waiting. */
export async function labelContent(db: Db): Promise<boolean> {
  const [reached] = await progress(db, {});
  if (!reached || reached.last <= reached.labels) return false;
  const until = Math.min(reached.last, reached.labels + ROUND_IDS);
  await labelBetween(db, { after: reached.labels, until });
  await db.updateTable('content_indexed').set({ labels: until }).execute();
  return until < reached.last;
}

export async function contentRelabelled(
  db: Db,
  id: number,
  before: Labels,
  after: Labels | undefined,
): Promise<void> {
  if (await isNewFor(db, 'labels', id)) return;
  const [had, has] = [textsOf(before), after ? textsOf(after) : []];
  for (const label of had) if (!has.includes(label)) await removeLabel(db, { label, id });
  for (const label of has) if (!had.includes(label)) await addLabel(db, { label, id });
}

const addLabel = statement((db, row: { label: string; id: number }) =>
  db.insertInto('content_labels').values({ label: row.label, content_id: row.id }),
);

const removeLabel = statement((db, row: { label: string; id: number }) =>
  db.deleteFrom('content_labels').where('label', '=', row.label).where('content_id', '=', row.id),
);

function textsOf({ author_id, category, tags }: Labels): string[] {
  const labels: Label[] = [
    { kind: 'author', value: author_id },
    ...(category === '' ? [] : [{ kind: 'category' as const, value: category }]),
    ...(JSON.parse(tags) as string[]).map((value) => ({ kind: 'tag' as const, value })),
  ];
  return labels.map(textOf);
}
