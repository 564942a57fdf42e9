import { DAY_MS } from '../../domain/time.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { newestNumber } from './read.ts';

/** How long a change is kept for readers that keep no place, and how long a reader that does not move lives. */
export const KEPT_MS = 7 * DAY_MS;
/** The most changes, some 150 bytes each with their index. Beyond it even a living reader has a gap. */
const MOST = 1_000_000;
/** One write removes this many, in some milliseconds. */
const BATCH = 1_000;

interface Removal {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** MOST, but for tests. */
  readonly most?: number;
}

/**
 * Removes some of the oldest changes: those that are KEPT_MS old and read by every living reader, and those beyond the
 * most. The newest change stays, because the next number follows from it. True while more may be left to remove. Only
 * one instance at a time.
 */
export const removeOldChanges = writeOperation(
  'changes.remove_old',
  async (db, { now, most = MOST }: Removal, engine): Promise<boolean> => {
    if (!(await engine.tryLock(db, 'removing old changes'))) return false;
    const oldest = await db
      .selectFrom('changes')
      .select(['number', 'at'])
      .orderBy('number')
      .limit(BATCH + 1)
      .execute();
    const needed = await firstNeeded(db, now);
    const tooMany = await lastBeyond(db, most);
    // The newest of all is never among them.
    const candidates = oldest.slice(0, -1);
    const stays = candidates.findIndex(
      ({ number, at }) => number > tooMany && (at > now - KEPT_MS || number >= needed),
    );
    const removed = stays === -1 ? candidates : candidates.slice(0, stays);
    const last = removed.at(-1);
    if (last) await db.deleteFrom('changes').where('number', '<=', last.number).execute();
    return removed.length === BATCH;
  },
  { isBackground: true },
);

/**
 * The number of the newest change beyond the most; 0 for none. Where no change has that number, the hole of a restore is
 * there, and the distance counts no changes. Those from before the restore stay meanwhile, which are at most as many again.
 */
async function lastBeyond(db: Db, most: number): Promise<number> {
  const last = (await newestNumber(db)) - most;
  const change = db.selectFrom('changes').select('number').where('number', '=', last);
  return (await change.executeTakeFirst())?.number ?? 0;
}

/** The oldest change that a living reader has not read. */
async function firstNeeded(db: Db, now: number): Promise<number> {
  const { number } = await db
    .selectFrom('change_readers')
    .select((eb) => eb.fn.min('number').as('number'))
    .where('seen_at', '>', now - KEPT_MS)
    .executeTakeFirstOrThrow();
  return number === null ? Number.MAX_SAFE_INTEGER : number + 1;
}
