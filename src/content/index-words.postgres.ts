import { sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import type { Engine } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import type { IndexProgress } from './search-index.ts';
import { wordsBeside } from './words-beside.ts';

/** One round has this many changes at most, and about so many bytes of text: some 15 ms of one core. */
const ROUND_CHANGES = 128;
const ROUND_BYTES = 131_072;

interface Change {
  readonly place: number;
  readonly id: number;
  /** These are null where the item is hidden or gone. */
  readonly version: number | null;
  readonly title: string | null;
  readonly content: string | null;
  /** How many changes the round could have had. */
  readonly seen: number;
}

/** At least one, however long it is. A long text is read only where it belongs to the round. */
const oldestChanges = statement(
  (_, { changes, bytes }: { changes: number; bytes: number }) => sql<Change>`
    select place, id, version, title, substr(content, 1, ${sql.lit(SEARCHED_UNITS)}) as content, seen
    from (
      select place, content_id as id, version, title, content, count(*) over () as seen,
        coalesce(sum(least(octet_length(content), ${sql.lit(SEARCHED_UNITS)})) over (
          order by place rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (select place, content_id from content_search_queue order by place limit ${atMost(changes)}) as oldest
      left join visible_content as item on item.id = content_id
    ) as change
    where bytes_before < ${bytes} order by place`,
);

/**
 * Puts the words of those items that are still as they were read, and returns their ids. An item that was changed or
 * hidden meanwhile is left out, and so is one that another write has locked. The locks are held until the commit, so
 * nobody hides or deletes an item whose words are about to appear.
 */
const putWords = statement(
  (_, { rows }: { rows: string }) => sql<{ id: number }>`
    with made as (
      select id, version, words from json_to_recordset(${rows}::json) as made (id bigint, version bigint, words text)
    ), unchanged as (
      select made.id, made.words from made join content on content.id = made.id
      where content.version = made.version and content.visible = 1
      for share of content skip locked
    ), put as (
      insert into content_search (content_id, words) select id, words from unchanged
      on conflict (content_id) do update set words = excluded.words
    )
    select id from unchanged`,
);

const forget = statement(
  (_, { places }: { places: string }) => sql`
    delete from content_search_queue where place in (select value::bigint from json_array_elements_text(${places}::json))`,
);

/**
 * Indexes the words of what has waited longest. True while more is waiting. The new words are in GIN's pending list
 * until `tidyIndex` runs (decisions 0066).
 */
export async function indexSome(db: Db, engine: Engine): Promise<boolean> {
  if (!(await engine.tryLock(db, 'content search'))) return false;
  await sql`select ${FAST_COMMIT}, ${PLANS_OF_THE_MOMENT}`.execute(db);
  const changes = await oldestChanges(db, { changes: ROUND_CHANGES, bytes: ROUND_BYTES });
  if (changes.length === 0) return false;
  const put = await putItems(db, changes);
  const done = changes.filter(({ id, version }) => version === null || put.has(id));
  if (done.length > 0) await forget(db, { places: JSON.stringify(done.map(({ place }) => place)) });
  const seen = changes[0]?.seen ?? 0;
  return done.length > 0 && (seen === ROUND_CHANGES || changes.length < seen);
}

/** The commit does not wait for the disk. After a crash that loses it, the changes are in the queue again. */
const FAST_COMMIT = sql`set_config('synchronous_commit', 'off', true)`;
/** A plan that was made while the tables were small reads them whole when they are large. */
const PLANS_OF_THE_MOMENT = sql`set_config('plan_cache_mode', 'force_custom_plan', true)`;

async function putItems(db: Db, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  const items = [...new Map(changes.filter(isVisible).map((change) => [change.id, change])).values()];
  if (items.length === 0) return new Set();
  const words = await wordsBeside(items.map(({ title, content }) => ({ title, content })));
  const rows = items.map(({ id, version }, index) => ({ id, version, words: words[index] }));
  return new Set((await putWords(db, { rows: JSON.stringify(rows) })).map(({ id }) => id));
}

function isVisible(change: Change): change is Change & { version: number; title: string; content: string } {
  return change.version !== null;
}

/**
 * Moves new words from GIN's pending list, which each search reads from end to end, into the index. One instance at a
 * time.
 */
export async function tidyIndex(db: Db, engine: Engine): Promise<boolean> {
  if (!(await engine.tryLock(db, 'content search cleaning'))) return false;
  await sql`select ${FAST_COMMIT}, ${CLEANING_MEMORY}`.execute(db);
  await sql`select gin_clean_pending_list('content_search_words')`.execute(db);
  return false;
}

/** Some 500 items of a kilobyte. What is in the index stays there, should a statement end before all of it is. */
const CLEANING_MEMORY = sql`set_config('maintenance_work_mem', '8MB', true)`;

const placesInQueue = statement(
  () => sql<{ last: number | null; oldest: number | null }>`
    select (select max(place) from content_search_queue) as last,
      (select min(place) from content_search_queue) as oldest`,
);

/** An indexed change is not in the queue. Only the database knows how long the pending list is. */
export async function indexProgress(db: Db): Promise<IndexProgress> {
  const [places] = await placesInQueue(db, {});
  if (!places || places.last === null || places.oldest === null) return ALL_INDEXED;
  const { last, oldest } = places;
  return { last, oldest, indexed: oldest - 1, waiting: last - oldest + 1, isOwn: true, isUntidy: true };
}

/** The places of all changes that there were are below these. */
const ALL_INDEXED: IndexProgress = {
  last: 0,
  oldest: Number.MAX_SAFE_INTEGER,
  indexed: Number.MAX_SAFE_INTEGER,
  waiting: 0,
  isOwn: true,
  isUntidy: true,
};
