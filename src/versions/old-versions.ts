import { KEPT_MS } from '../content/keep-version.ts';
import { type OldestKept, removeVersions } from '../content/remove-versions.ts';
import type { Job } from '../domain/jobs.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';

interface Upkeep {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How many versions an item keeps, however old they are. */
  readonly keep: number;
}

export const nextHistoryDue = readOperation('versions.next_history_due', (db, now: number) => dueAt(db, now));

/**
 * Removes some versions of the item that has waited longest: all of an item that is gone, else those that were replaced
 * long ago (`KEPT_MS`) and are not among the newest. One instance at a time.
 */
export const removeOldVersions = writeOperation(
  'versions.remove_old',
  async (db, { now, keep }: Upkeep, engine): Promise<void> => {
    await engine.lock(db, 'removing old versions');
    const due = await dueAt(db, now);
    if (!due) return;
    const id = due.content_id;
    // Locked, so that no change makes a delta of a base that is being removed.
    const item = await db
      .selectFrom('content')
      .select('version')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    const newest = (item?.version ?? 0) - keep;
    const oldest = item && (await oldestKept(db, id, { newest, since: now - KEPT_MS }));
    if (await removeVersions(db, id, oldest)) return;
    if (oldest && oldest.version < newest) {
      const due_at = oldest.replaced_at + KEPT_MS;
      await db.updateTable('content_history_due').set({ due_at }).where('content_id', '=', id).execute();
    } else await db.deleteFrom('content_history_due').where('content_id', '=', id).execute();
  },
  { isBackground: true },
);

function dueAt(db: Db, now: number) {
  return db
    .selectFrom('content_history_due')
    .select('content_id')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
}

function oldestKept(
  db: Db,
  id: number,
  { newest, since }: { newest: number; since: number },
): Promise<OldestKept | undefined> {
  return db
    .selectFrom('content_versions')
    .select(['version', 'base', 'replaced_at'])
    .where('content_id', '=', id)
    .where((eb) => eb.or([eb('version', '>=', newest), eb('replaced_at', '>', since)]))
    .orderBy('version')
    .limit(1)
    .executeTakeFirst();
}

/** Removes, beyond the newest `keep` of an item, the versions that are due. */
export function oldVersionsJob(store: Store, keep: number, clock: () => number): Job {
  const run = async (): Promise<boolean> => {
    const now = clock();
    if (!(await store.read(nextHistoryDue, now))) return false;
    await store.write(removeOldVersions, { now, keep });
    return true;
  };
  return { name: 'removing old versions', every: MINUTE_MS, run };
}
