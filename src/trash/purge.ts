import { sql } from 'kysely';
import type { OnlyIf } from '../content/precondition.ts';
import { removeItems } from '../content/remove-items.ts';
import { forbidden } from '../domain/failure.ts';
import type { Job } from '../domain/jobs.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { lockTrashed, requireTrashedState, selectTrash } from './find.ts';

/** One write deletes so many items at most, and about so many bytes of text. */
const ITEMS = 100;
const BYTES = 1024 * 1024;

interface Purge extends CallerInput {
  readonly id: number;
  readonly onlyIf: OnlyIf | undefined;
}

/** Deletes an item of the trash for good. Fails with `not_found`, `version_conflict`, and `forbidden` for an editor. */
export const purgeItem = callerWrite(
  'trash.purge',
  async (db, { id, onlyIf }: Purge, caller): Promise<void> => {
    const item = await lockTrashed(db, id, caller);
    if (item.author_id !== caller.userId && caller.role !== 'admin')
      throw forbidden('Only the author or an admin may delete an item for good; it can be restored.');
    await requireTrashedState(db, item, onlyIf);
    await removeItems(db, [id]);
  },
);

/** Items that were moved to the trash at this time or before, in milliseconds since 1970. */
interface Due {
  readonly until: number;
}

/** True if an item waits for its end. */
export const isPurgeDue = readOperation(
  'trash.is_purge_due',
  async (db, due: Due): Promise<boolean> =>
    (await selectDue(db, due).limit(1).executeTakeFirst()) !== undefined,
);

/** Deletes some of them for good, the oldest first. */
export const purgeDue = writeOperation(
  'trash.purge_due',
  async (db, due: Due, engine): Promise<void> => {
    await engine.lock(db, 'emptying the trash');
    // Locked, so that nobody takes one out of the trash meanwhile.
    const items = await selectDue(db, due)
      .select(sql<number>`octet_length(content)`.as('bytes'))
      .limit(ITEMS)
      .forUpdate()
      .execute();
    if (items.length === 0) return;
    await removeItems(
      db,
      rowsWithin(items, BYTES).map(({ id }) => id),
    );
  },
  { isBackground: true },
);

function selectDue(db: Db, { until }: Due) {
  return selectTrash(db).select('id').where('trashed_at', '<=', until).orderBy('trashed_at').orderBy('id');
}

/** `keptMs` is how long an item stays in the trash. */
export function purgeJob(store: Store, keptMs: number, clock: () => number): Job {
  const run = async (): Promise<boolean> => {
    const due = { until: clock() - keptMs };
    if (!(await store.read(isPurgeDue, due))) return false;
    await store.write(purgeDue, due);
    return true;
  };
  return { name: 'emptying the trash', every: MINUTE_MS, run };
}
