import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { indexWords } from './search.ts';

/** One round takes this many items at most, and stops after so much text: a few milliseconds of the writer. */
const ROUND_ITEMS = 64;
const ROUND_UNITS = 16_384;
/** How long a search waits for what was written before it, and how often it looks. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 10;

/** Indexes the words of what has waited longest. True while more is waiting. One instance at a time. */
export const indexQueuedContent = writeOperation(
  'content.index_queued',
  async (db, _: null, engine): Promise<boolean> => {
    if (!(await engine.tryLock(db, 'content search'))) return false;
    const queued = await db
      .selectFrom('content_search_queue')
      .select(['place', 'content_id'])
      .orderBy('place')
      .limit(ROUND_ITEMS)
      .execute();
    const done: number[] = [];
    let units = 0;
    for (const { place, content_id } of queued) {
      if (units > ROUND_UNITS) break;
      const indexed = await indexItem(db, content_id, engine);
      if (indexed === 'locked') continue;
      units += indexed;
      done.push(place);
    }
    if (done.length > 0) await db.deleteFrom('content_search_queue').where('place', 'in', done).execute();
    return queued.length === ROUND_ITEMS || done.length < queued.length;
  },
  { isBackground: true },
);

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

/** Returns how much text it read: none where the item is hidden or gone. One that is locked is left alone. */
async function indexItem(db: Db, id: number, engine: Engine): Promise<number | 'locked'> {
  // An item that was deleted before its words are there would keep them for ever.
  const item = await visibleItem(db, id).forKeyShare().skipLocked().executeTakeFirst();
  if (!item) return (await visibleItem(db, id).executeTakeFirst()) ? 'locked' : 0;
  await indexWords(db, item, engine);
  return item.title.length + item.content.length;
}

function visibleItem(db: Db, id: number) {
  return db
    .selectFrom('visible_content')
    .select(['id', 'title', sql<string>`substr(content, 1, ${SEARCHED_UNITS})`.as('content')])
    .where('id', '=', id);
}

export const lastQueued = readOperation('content.last_queued', (db, _: null) => placeInQueue(db, 'desc'));
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
 * Waits until a search finds what was written before this call, but no longer than PATIENCE_MS: then the
 * search goes on with what is indexed.
 */
export async function whenIndexed(store: Store): Promise<void> {
  const last = await store.read(lastQueued, null);
  const until = performance.now() + PATIENCE_MS;
  for (let first = last; first > 0 && first <= last && performance.now() < until; ) {
    await pause(LOOK_MS);
    first = await store.read(firstQueued, null);
  }
}
