import { sql } from 'kysely';
import type { Engine } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { itemsThatFit, type Queued, visibleItems } from './queued.ts';
import type { IndexProgress, TextOfItem } from './search-index.ts';
import { wordsBeside } from './words-beside.ts';

/** One round has this many items at most, and about so many bytes of text. */
const ROUND_ITEMS = 64;
const ROUND_BYTES = 32_768;

const oldestQueued = statement(
  (_, { items }: { items: number }) => sql<Queued>`
    select place, content_id as id, coalesce(octet_length(item.content), 0) as bytes
    from content_search_queue left join visible_content as item on item.id = content_id
    order by place limit ${atMost(items)}`,
);

/** One instance at a time. An indexed change leaves the queue. */
export async function indexSome(db: Db, engine: Engine): Promise<boolean> {
  if (!(await engine.tryLock(db, 'content search'))) return false;
  const queued = await oldestQueued(db, { items: ROUND_ITEMS });
  const round = queued.slice(0, itemsThatFit(queued, ROUND_BYTES));
  if (round.length === 0) return false;
  const locked = await indexItems(db, [...new Set(round.map(({ id }) => id))]);
  const done = round.filter(({ id }) => !locked.includes(id)).map(({ place }) => place);
  if (done.length > 0) await db.deleteFrom('content_search_queue').where('place', 'in', done).execute();
  return done.length > 0 && (queued.length === ROUND_ITEMS || round.length < queued.length);
}

/** Indexes those that are visible, and returns those that somebody else has locked: they stay in the queue. */
async function indexItems(db: Db, ids: readonly number[]): Promise<number[]> {
  // An item that was deleted before its words are there would keep them for ever.
  const items = await visibleItems(db, ids).forKeyShare().skipLocked().execute();
  if (items.length > 0) await putWords(db, items);
  const rest = ids.filter((id) => !items.some((item) => item.id === id));
  if (rest.length === 0) return [];
  return (await visibleItems(db, rest).execute()).map(({ id }) => id);
}

async function putWords(db: Db, items: readonly TextOfItem[]): Promise<void> {
  const words = await wordsBeside(items.map(({ title, content }) => ({ title, content })));
  const rows = items.map(({ id }, index) => ({ content_id: id, words: words[index] }));
  await insertWords(db, { rows: JSON.stringify(rows) });
}

const insertWords = statement(
  (_, { rows }: { rows: string }) => sql`
    insert into content_search (content_id, words)
    select content_id, words from json_to_recordset(${rows}::json) as item (content_id bigint, words text)
    on conflict (content_id) do update set words = excluded.words`,
);

const placesInQueue = statement(
  () => sql<{ last: number | null; oldest: number | null }>`
    select (select max(place) from content_search_queue) as last,
      (select min(place) from content_search_queue) as oldest`,
);

export async function indexProgress(db: Db): Promise<IndexProgress> {
  const [places] = await placesInQueue(db, {});
  const last = places?.last ?? 0;
  const oldest = places?.oldest ?? last + 1;
  return { last, oldest, indexed: oldest - 1, waiting: last - oldest + 1, isUntidy: false };
}
