import type { LockedItem } from '../content/change.ts';
import type { ContentRow } from '../content/contract.ts';
import { recordOf } from '../content/find.ts';
import type { OnlyIf } from '../content/precondition.ts';
import { requireScheduleBeside, requireScheduleOfItem } from '../content/schedule.ts';
import { withVisible } from '../content/visibility.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { dropPassedTime } from './drop-passed-time.ts';
import { lockTrashed, requireTrashedState } from './find.ts';

interface Restoring extends CallerInput {
  readonly id: number;
  readonly onlyIf?: OnlyIf | undefined;
}

/**
 * Takes an item out of the trash, as it was, and returns its row. A time to be published that has passed meanwhile is taken
 * away, as a new version; one that is to come counts again. Fails with `not_found`, `version_conflict` and
 * `limit_reached`.
 */
export const restoreItem = callerWrite(
  'trash.restore',
  async (db, { id, onlyIf, now }: Restoring, caller, engine): Promise<ContentRow> => {
    const item = await lockTrashed(db, id, caller);
    await requireTrashedState(db, item, onlyIf);
    await requireSchedule(db, engine, item, now);
    await db
      .updateTable('content')
      .set({ ...withVisible({ trashed_at: null, status: item.status }), trashed_by: null })
      .where('id', '=', id)
      .execute();
    await dropPassedTime(db, engine, { id, by: caller.userId, now });
    return recordOf(db, id).executeTakeFirstOrThrow();
  },
);

/** Asked before the item comes out of the trash, because it does not count there. */
async function requireSchedule(db: Db, engine: Engine, item: LockedItem, now: number): Promise<void> {
  if (item.publish_at !== null && item.publish_at > now)
    await requireScheduleOfItem(db, engine, item.author_id);
  const besides = db.selectFrom('content_drafts').select('content_id').where('content_id', '=', item.id);
  const waiting = await besides.where('publish_at', '>', now).executeTakeFirst();
  if (waiting) await requireScheduleBeside(db, engine, item.author_id);
}
