import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SearchedTexts } from '../content/fields.ts';
import type { Engine } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { inTurns, type Round } from './in-turns.ts';
import type { IndexProgress, RoundOrder } from './search-index.ts';
import { SEARCHED_TEXTS } from './searched-texts.ts';
import { wordsBeside } from './words-beside.ts';

/** A round chooses from this many of the oldest changes, and from this many of the newest. */
const OLDEST = 512;
const NEWEST = 256;
/** One round has at most this many changes. */
const ROUND_CHANGES = 128;

type Change = { readonly [Name in keyof SearchedTexts]: string | null } & {
  readonly place: number;
  readonly id: number;
  /** Null if the item is hidden or deleted. */
  readonly version: number | null;
  /** The number of changes that the round was chosen from. */
  readonly seen: number;
};

/** Most writes that hold an item end within this time. */
const HELD_MS = 5;

/** Up to this many, the waiting changes are counted. */
const COUNTED = 10_000;

const LOOKED_AT = sql`
  (select place, content_id as id from content_search_queue order by place limit ${sql.lit(OLDEST)})
  union (select place, content_id from content_search_queue order by place desc limit ${sql.lit(NEWEST)})`;

/** Looks the item up by its id. Without LIMIT PostgreSQL may read all items for a hash join, for want of statistics. */
function itemOf(change: string) {
  return sql`lateral (
    select * from visible_content where id = ${sql.ref(`${change}.id`)} limit 1
  ) as item on true`;
}

/** The changes of the next round. A long text is read only if it belongs to the round. */
const nextChanges = statement(
  (_, input: Round) => sql<Change>`
    select place, change.id, version, ${sql.join(SEARCHED_TEXTS)}, seen
    from (select *, count(*) over () as seen from (${inTurns(LOOKED_AT, itemOf('waiting'), input)}) as waiting) as change
    left join ${itemOf('change')}
    where is_next`,
);

/**
 * Stores the words of the items that have not changed since they were read, and returns their ids. Items that were
 * changed or hidden meanwhile are left out, and so are those that another write has locked. The locks last until the
 * commit, so nobody hides or deletes an item whose words are about to appear.
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
      on conflict (content_id) do update set words = excluded.words, padding = excluded.padding
    )
    select id from unchanged`,
);

const forget = statement(
  (_, { places }: { places: string }) => sql`
    delete from content_search_queue where place in (select value::bigint from json_array_elements_text(${places}::json))`,
);

const queueAgain = statement(
  (_, { ids }: { ids: string }) => sql`
    insert into content_search_queue (content_id) select value::bigint from json_array_elements_text(${ids}::json)`,
);

/**
 * Indexes the changes whose turn it is. True while more wait. An item that another write holds is tried again after
 * `rest`. One that could not be indexed then goes to the end of the queue, once, so that neither other items nor searches
 * wait for an item that is changed all the time. The new words are in GIN's pending list until `tidyIndex` runs
 * (docs/decisions/lists-and-search.md).
 */
export async function indexSome(
  db: Db,
  engine: Engine,
  order: RoundOrder,
  rest: () => Promise<unknown> = () => pause(HELD_MS),
): Promise<boolean> {
  if (!(await engine.tryLock(db, 'content search'))) return false;
  const changes = await nextChanges(db, { changes: ROUND_CHANGES, fair: order === 'turns' ? 1 : 0 });
  if (changes.length === 0) return false;
  const put = await putItems(db, changes, rest);
  await forget(db, { places: JSON.stringify(changes.map(({ place }) => place)) });
  const left = new Set(
    changes.filter((change) => isVisible(change) && !put.has(change.id)).map(({ id }) => id),
  );
  if (left.size > 0) await queueAgain(db, { ids: JSON.stringify([...left]) });
  const seen = changes[0]?.seen ?? 0;
  return left.size < changes.length && changes.length < seen;
}

const nextPlaces = statement(
  (_, input: Round) => sql<{ place: number }>`
    select place from (${inTurns(LOOKED_AT, itemOf('waiting'), input)}) as waiting where is_next`,
);

/** The changes of the next round of turns. */
export async function nextTurns(db: Db): Promise<readonly number[]> {
  return (await nextPlaces(db, { changes: ROUND_CHANGES, fair: 1 })).map(({ place }) => place);
}

async function putItems(
  db: Db,
  changes: readonly Change[],
  rest: () => Promise<unknown>,
): Promise<ReadonlySet<number>> {
  const items = [...new Map(changes.filter(isVisible).map((change) => [change.id, change])).values()];
  if (items.length === 0) return new Set();
  const words = await wordsBeside(items);
  const rows = items.map(({ id, version }, index) => ({ id, version, words: words[index] }));
  const put = await putRows(db, rows);
  if (put.size === rows.length) return put;
  await rest();
  const others = rows.filter(({ id }) => !put.has(id));
  return put.union(await putRows(db, others));
}

async function putRows(db: Db, rows: readonly { readonly id: number }[]): Promise<ReadonlySet<number>> {
  return new Set((await putWords(db, { rows: JSON.stringify(rows) })).map(({ id }) => id));
}

function isVisible(change: Change): change is Change & SearchedTexts & { readonly version: number } {
  return change.version !== null;
}

/**
 * Moves new words from GIN's pending list, which each search reads whole, into the index. Only one instance at a time.
 */
export async function tidyIndex(db: Db, engine: Engine): Promise<boolean> {
  if (!(await engine.tryLock(db, 'content search cleaning'))) return false;
  await sql`select set_config('maintenance_work_mem', ${CLEANING_MEMORY}, true)`.execute(db);
  for (const index of ['content_search_words', 'content_search_titles'])
    await sql`select gin_clean_pending_list(${index}::regclass)`.execute(db);
  return false;
}

/** About 500 items of a kilobyte. If the statement ends early, the index keeps what it has. */
const CLEANING_MEMORY = '8MB';

const placesInQueue = statement(
  () => sql<{ last: number | null; oldest: number | null; counted: number }>`
    select (select max(place) from content_search_queue) as last,
      (select min(place) from content_search_queue) as oldest,
      (select count(*) from (select from content_search_queue limit ${sql.lit(COUNTED)}) as counted) as counted`,
);

/** How far the index is. From COUNTED on, `waiting` counts places of the queue, so it is an upper bound. */
export async function indexProgress(db: Db): Promise<IndexProgress> {
  const [places] = await placesInQueue(db, {});
  if (!places || places.last === null || places.oldest === null) return ALL_INDEXED;
  const { last, oldest, counted } = places;
  const waiting = counted < COUNTED ? counted : last - oldest + 1;
  return { last, oldest, indexed: oldest - 1, waiting, isOwn: true };
}

/** The places of all earlier changes are below these. */
const ALL_INDEXED: IndexProgress = {
  last: 0,
  oldest: Number.MAX_SAFE_INTEGER,
  indexed: Number.MAX_SAFE_INTEGER,
  waiting: 0,
  isOwn: true,
};
