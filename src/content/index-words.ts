import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { searchOn } from './search.ts';
import type { IndexProgress } from './search-index.ts';

/** How long a search waits for what was written before it, and how often it looks. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 10;
/** With more changes than this to come, the index is too far behind to catch up within that time. */
export const FAR_BEHIND = 1_000;
/** Newest changes that stay in the queue: an index that lost its last rounds goes on from there (decisions 0067). */
const KEPT_CHANGES = 10_000;
const FORGOTTEN_AT_ONCE = 1_000;

/** Indexes some of the items that have waited longest. True while more is waiting. One instance at a time. */
export const indexQueuedContent = writeOperation(
  'content.index_queued',
  (db, _: null, engine): Promise<boolean> => searchOn(engine).indexSome(db, engine),
  { isBackground: true, isDerived: true },
);

export const tidyIndex = writeOperation(
  'content.tidy_index',
  (db, _: null, engine): Promise<boolean> => searchOn(engine).tidy(db, engine),
  { isBackground: true, isDerived: true },
);

export const indexProgress = readOperation('content.index_progress', (db, _: null, engine) =>
  searchOn(engine).progress(db),
);

export const forgetChanges = writeOperation(
  'content.forget_changes',
  async (db, { through }: { through: number }): Promise<void> => {
    await db.deleteFrom('content_search_queue').where('place', '<=', through).execute();
  },
  { isBackground: true },
);

/**
 * Begins an index again that is not of this state of the database. Called before the first write: a place in the queue that
 * the index knows from a lost state must not be given to another change before.
 */
export async function requireOwnIndex(store: Store): Promise<void> {
  const { isOwn } = await store.read(indexProgress, null);
  if (!isOwn) await store.write(indexQueuedContent, null);
}

/** One run of the job that indexes. Resolves with true while more is waiting. */
export async function indexWaiting(store: Store): Promise<boolean> {
  const progress = await store.read(indexProgress, null).catch(() => undefined);
  // Where a file is damaged, the thread of the index says which.
  if (!progress) return store.write(indexQueuedContent, null);
  const { waiting, indexed, oldest, isOwn } = progress;
  const through = oldest + FORGOTTEN_AT_ONCE - 1;
  if (through <= indexed - KEPT_CHANGES) await store.write(forgetChanges, { through });
  return (waiting > 0 || !isOwn) && store.write(indexQueuedContent, null);
}

/** One run of the job that keeps the index in order. Resolves with true while there is more to do. */
export async function tidy(store: Store): Promise<boolean> {
  const { isUntidy } = await store.read(indexProgress, null);
  return isUntidy && store.write(tidyIndex, null);
}

/** What a move leaves to be done. */
export const contentBacklog = {
  step: 'building the search index',
  left: async (db: Db, engine: Engine): Promise<number> => (await searchOn(engine).progress(db)).waiting,
  work: indexQueuedContent,
};

/**
 * Waits until a search finds what was written before this call, but no longer than PATIENCE_MS, and not at all where
 * the index is far behind: then the search goes on with what is indexed. Resolves with about how many changes the
 * index lacks then; 0 where it has all that were made before this call.
 */
export async function whenIndexed(store: Store): Promise<number> {
  let progress = await store.read(indexProgress, null);
  const { last } = progress;
  const until = performance.now() + PATIENCE_MS;
  while (progress.indexed < last && progress.waiting <= FAR_BEHIND && performance.now() < until)
    progress = await look(store);
  return progress.indexed < last ? progress.waiting : 0;
}

/** Looks that have not begun yet. */
const NEXT_LOOKS = new WeakMap<Store, Promise<IndexProgress>>();

/** How far the index is, a moment from now. All searches that wait look together. */
function look(store: Store): Promise<IndexProgress> {
  const next =
    NEXT_LOOKS.get(store) ??
    pause(LOOK_MS).then(() => {
      NEXT_LOOKS.delete(store);
      return store.read(indexProgress, null);
    });
  NEXT_LOOKS.set(store, next);
  return next;
}
