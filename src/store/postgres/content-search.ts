import { sql } from 'kysely';
import { foldKey } from '../../domain/text.ts';
import type { IdSet } from '../id-set.ts';
import type { Labels, SearchableContent } from '../operation.ts';
import { statement } from '../statement.ts';
import type { Db } from '../tables.ts';
import { containing } from './like.ts';

/**
 * Search over content with PostgreSQL (decisions 0011): folded text in `content_search` with a trigram
 * index, and in `content_unindexed` without one, where an item waits for a moment after its write.
 */

/** Any number that nothing else locks in the database; one instance indexes at a time. */
const INDEX_LOCK = 7_046_210_003;
/** Items in one round: some tens of milliseconds of the server's time. */
const ROUND_ITEMS = 128;

type CopiedContent = SearchableContent & Pick<Labels, 'tags'>;

/** Into the index at once: for loading many, when the index is made afterwards. */
export async function contentCopied(db: Db, item: CopiedContent): Promise<void> {
  await keepIndexed(db, { ...folded(item), tags: item.tags });
}

/**
 * It waits first and is out of the index then, never the other way round: the first statement waits for
 * an indexing round that has the item, and the second sees what that round left.
 */
export async function contentChanged(db: Db, item: SearchableContent): Promise<void> {
  await Promise.all([awaitIndexing(db, folded(item)), removeFromIndex(db, item)]);
}

const keepIndexed = statement(
  (_, item: CopiedContent) => sql`
    with tagged as (
      insert into content_tags (tag, content_id)
      select tag, ${item.id}::bigint from json_array_elements_text(${item.tags}::json) as tag
    )
    insert into content_search (content_id, title, content) values (${item.id}, ${item.title}, ${item.content})
    on conflict (content_id) do update set title = excluded.title, content = excluded.content`,
);

const awaitIndexing = statement(
  (_, item: SearchableContent) => sql`
    insert into content_unindexed (content_id, title, content) values (${item.id}, ${item.title}, ${item.content})
    on conflict (content_id) do update set title = excluded.title, content = excluded.content`,
);

const removeFromIndex = statement(
  (_, item: { id: number }) => sql`delete from content_search where content_id = ${item.id}`,
);

/**
 * Puts some of the items that wait into the index; true when more are waiting. It locks the items before
 * what is derived of them, as changing and deleting do, and leaves to the next round those that are locked.
 */
export async function indexContent(db: Db): Promise<boolean> {
  const { rows } = await sql<{ moved: number }>`
    with turn as materialized (select pg_try_advisory_xact_lock(${sql.lit(INDEX_LOCK)}) as mine),
    item as materialized (
      select id from content where id in (
        select content_id from content_unindexed where (select mine from turn) order by content_id limit ${ROUND_ITEMS}
      ) for key share skip locked
    ),
    gone as (
      delete from content_unindexed where content_id in (select id from item) returning content_id, title, content
    ),
    kept as (
      insert into content_search (content_id, title, content) select content_id, title, content from gone
      on conflict (content_id) do update set title = excluded.title, content = excluded.content
    )
    select count(*) as moved from gone`.execute(db);
  return rows[0]?.moved === ROUND_ITEMS;
}

export function contentMatching(keyword: string): IdSet {
  const pattern = containing(keyword);
  return sql`select content_id as id from content_searchable where title like ${pattern} or content like ${pattern}`;
}

function folded({ id, title, content }: SearchableContent): SearchableContent {
  return { id, title: foldKey(title), content: foldKey(content) };
}
