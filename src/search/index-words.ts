import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { searchOn } from './search.ts';
import type { IndexProgress, RoundOrder } from './search-index.ts';

/** How long a search waits for the index, and how often it checks. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 10;
/** With more changes than this in the queue, the index cannot catch up within that time. */
export const FAR_BEHIND = 1_000;
/** One of this many rounds has the oldest changes, so that a long text is indexed however many short ones arrive. */
const BY_ARRIVAL = 32;
/**
 * The newest changes stay in the queue. An index that lost its last rounds starts from them
 * (docs/decisions/lists-and-search.md).
 */
const KEPT_CHANGES = 10_000;
const FORGOTTEN_AT_ONCE = 1_000;

/** Indexes some of the items that wait, in turns unless told otherwise. True while more wait. Only one instance at a time. */
export const indexQueuedContent = writeOperation(
  'content.index_queued',
  (db, order: RoundOrder | null, engine): Promise<boolean> =>
    searchOn(engine).indexSome(db, engine, order ?? 'turns'),
  { isBackground: true, isDerived: true },
);

export const tidyIndex = writeOperation(
  'content.tidy_index',
  (db, _: null, engine): Promise<boolean> => searchOn(engine).tidy(db, engine),
  { isBackground: true, isDerived: true },
);

export const isIndexUntidy = readOperation('content.index_untidy', (db, _: null, engine) =>
  searchOn(engine).isUntidy(db),
);

export const indexProgress = readOperation('content.index_progress', (db, _: null, engine) =>
  searchOn(engine).progress(db),
);

export const nextTurns = readOperation('content.index_next', (db, _: null, engine) =>
  searchOn(engine).nextTurns(db),
);

export const forgetChanges = writeOperation(
  'content.forget_changes',
  async (db, { through }: { through: number }): Promise<void> => {
    await db.deleteFrom('content_search_queue').where('place', '<=', through).execute();
  },
  { isBackground: true },
);

/**
 * Starts an index again if it does not belong to this state of the database. Called before the first write, because a
 * new change must not get a place in the queue that the index knows from a lost state.
 */
export async function requireOwnIndex(store: Store): Promise<void> {
  const { isOwn } = await store.read(indexProgress, null);
  if (!isOwn) await store.write(indexQueuedContent, null);
}

/** One run of the job that indexes. Resolves with true while more changes wait. */
export async function indexWaiting(store: Store): Promise<boolean> {
  const progress = await store.read(indexProgress, null).catch(() => undefined);
  // If a file is damaged, the thread of the index names the file.
  if (!progress) return store.write(indexQueuedContent, null);
  const { waiting, indexed, oldest, isOwn } = progress;
  const through = oldest + FORGOTTEN_AT_ONCE - 1;
  if (through <= indexed - KEPT_CHANGES) await store.write(forgetChanges, { through });
  return (waiting > 0 || !isOwn) && store.write(indexQueuedContent, nextOrder(store));
}

/** How many rounds each store has had since the last one by arrival. */
const ROUNDS = new WeakMap<Store, number>();

function nextOrder(store: Store): RoundOrder {
  const round = ((ROUNDS.get(store) ?? 0) + 1) % BY_ARRIVAL;
  ROUNDS.set(store, round);
  return round === 0 ? 'arrival' : 'turns';
}

/** One run of the job that tidies the index. Resolves with true while more is left to do. */
export async function tidy(store: Store): Promise<boolean> {
  return (await store.read(isIndexUntidy, null)) && store.write(tidyIndex, null);
}

/** Work that a move leaves behind. */
export const contentBacklog = {
  step: 'building the search index',
  left: async (db: Db, engine: Engine): Promise<number> => (await searchOn(engine).progress(db)).waiting,
  work: indexQueuedContent,
};

/** Up to this place a search has waited in vain. */
const WAITED_FOR = new WeakMap<Store, number>();

/**
 * Waits until a search finds what was written before this call, at most PATIENCE_MS, and not at all if more than
 * FAR_BEHIND changes wait. While the index lacks what an earlier search has waited for in vain, such as many long texts of
 * one author, this one waits only for newer changes, and only while they belong to the next round. Resolves with about how
 * many changes the index lacks, or with 0 if it has all that were there.
 */
export async function whenIndexed(store: Store): Promise<number> {
  let progress = await store.read(indexProgress, null);
  const { last } = progress;
  const inVain = WAITED_FOR.get(store) ?? 0;
  const until = performance.now() + PATIENCE_MS;
  let isWorthIt = progress.indexed >= inVain || last > inVain;
  while (isWorthIt && progress.indexed < last && progress.waiting <= FAR_BEHIND) {
    if (performance.now() >= until) {
      WAITED_FOR.set(store, Math.max(last, WAITED_FOR.get(store) ?? 0));
      break;
    }
    const seen = await look(store);
    progress = seen.progress;
    isWorthIt = progress.indexed >= inVain || seen.next.some((place) => place > inVain && place <= last);
  }
  return progress.indexed >= last ? 0 : progress.waiting;
}

interface Look {
  readonly progress: IndexProgress;
  /** The changes of the next round. Read only after a search has waited in vain for a change that is still waiting. */
  readonly next: readonly number[];
}

/** Looks that have not begun yet. */
const NEXT_LOOKS = new WeakMap<Store, Promise<Look>>();

/** A look at the index, a moment from now. All waiting searches share one. */
function look(store: Store): Promise<Look> {
  const next =
    NEXT_LOOKS.get(store) ??
    pause(LOOK_MS).then(async () => {
      NEXT_LOOKS.delete(store);
      const progress = await store.read(indexProgress, null);
      const isLate = progress.indexed < (WAITED_FOR.get(store) ?? 0);
      return { progress, next: isLate ? await store.read(nextTurns, null) : [] };
    });
  NEXT_LOOKS.set(store, next);
  return next;
}
