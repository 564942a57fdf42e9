import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { indexRound } from './index-words.postgres.ts';
import { putWords } from './search.sqlite.ts';

/** One round has this many items at most, and about so many bytes of text: a few milliseconds of the writer. */
const ROUND_ITEMS = 64;
const ROUND_BYTES = 32_768;
/** How long a search waits for what was written before it, and how often it looks. */
const PATIENCE_MS = 1_000;
/** With more changes than this in the queue, the index is too far behind to catch up within that time. */
export const FAR_BEHIND = 1_000;
const LOOK_MS = 10;

interface Queued {
  readonly place: number;
  readonly id: number;
  /** Of its text; 0 where the item is hidden or gone by now. */
  readonly bytes: number;
}

const oldestQueued = statement(
  (_, { items }: { items: number }) => sql<Queued>`
    select place, content_id as id, coalesce(octet_length(item.content), 0) as bytes
    from content_search_queue left join visible_content as item on item.id = content_id
    order by place limit ${atMost(items)}`,
);

/** Indexes the words of what has waited longest. True while more is waiting. One instance at a time. */
export const indexQueuedContent = writeOperation(
  'content.index_queued',
  async (db, _: null, engine): Promise<boolean> => {
    if (engine.name === 'postgres') return indexRound(db, engine);
    if (!(await engine.tryLock(db, 'content search'))) return false;
    const queued = await oldestQueued(db, { items: ROUND_ITEMS });
    const round = queued.slice(0, itemsThatFit(queued));
    if (round.length === 0) return false;
    const locked = await indexItems(db, [...new Set(round.map(({ id }) => id))]);
    const done = round.filter(({ id }) => !locked.includes(id)).map(({ place }) => place);
    if (done.length > 0) await db.deleteFrom('content_search_queue').where('place', 'in', done).execute();
    return done.length > 0 && (queued.length === ROUND_ITEMS || round.length < queued.length);
  },
  { isBackground: true },
);

/** At least one, however long it is. */
function itemsThatFit(queued: readonly Queued[]): number {
  let bytes = 0;
  const tooMany = queued.findIndex((item) => {
    bytes += Math.min(item.bytes, SEARCHED_UNITS);
    return bytes > ROUND_BYTES;
  });
  return tooMany === -1 ? queued.length : Math.max(1, tooMany);
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

function visibleItems(db: Db, ids: readonly number[]) {
  return db
    .selectFrom('visible_content')
    .select(['id', 'title', sql<string>`substr(content, 1, ${SEARCHED_UNITS})`.as('content')])
    .where('id', 'in', ids);
}

/** What a move leaves to be done. */
export const contentBacklog = {
  step: 'building the search index',
  left: async (db: Db): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from content_search_queue`.execute(db);
    return Number(rows[0]?.count ?? 0);
  },
  work: indexQueuedContent,
};

/** Both 0 where nothing waits. */
export const queueEnds = readOperation('content.queue_ends', async (db, _: null) => {
  const [first, last] = await Promise.all([placeInQueue(db, 'asc'), placeInQueue(db, 'desc')]);
  return { first, last };
});
export const firstQueued = readOperation('content.first_queued', (db, _: null) => placeInQueue(db, 'asc'));

async function placeInQueue(db: Db, order: 'asc' | 'desc'): Promise<number> {
  const queued = await db
    .selectFrom('content_search_queue')
    .select('place')
    .orderBy('place', order)
    .limit(1)
    .executeTakeFirst();
  return queued?.place ?? 0;
}

/**
 * Waits until a search finds what was written before this call, but no longer than PATIENCE_MS, and not at all where
 * the index is far behind: then the search goes on with what is indexed. Returns how many of these changes are not
 * in the index yet. The number is too high where places of the queue were left out or done out of order.
 */
export async function whenIndexed(store: Store): Promise<number> {
  const { first, last } = await store.read(queueEnds, null);
  const until = performance.now() + PATIENCE_MS;
  let lag = lagOf(first, last);
  while (lag > 0 && lag <= FAR_BEHIND && performance.now() < until) lag = lagOf(await look(store), last);
  return lag;
}

/** Of the changes up to the place `last`, how many wait at most, where `first` waits longest; 0 where none waits. */
function lagOf(first: number, last: number): number {
  return first === 0 ? 0 : Math.max(0, last - first + 1);
}

/** Looks that have not begun yet. */
const NEXT_LOOKS = new WeakMap<Store, Promise<number>>();

/** The first place in the queue, a moment from now. All searches that wait look together. */
function look(store: Store): Promise<number> {
  const next =
    NEXT_LOOKS.get(store) ??
    pause(LOOK_MS).then(() => {
      NEXT_LOOKS.delete(store);
      return store.read(firstQueued, null);
    });
  NEXT_LOOKS.set(store, next);
  return next;
}
