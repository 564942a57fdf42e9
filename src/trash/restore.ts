import type { ContentRow } from '../content/contract.ts';
import { recordOf } from '../content/find.ts';
import { withVisible } from '../content/visibility.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { dropPassedTime } from './drop-passed-time.ts';
import { lockTrashed } from './find.ts';

/**
 * Takes an item out of the trash, as it was, and returns its row. A time to be published that has passed meanwhile is taken
 * away, as a new version. Fails with `not_found`.
 */
export const restoreItem = callerWrite(
  'trash.restore',
  async (db, { id, now }: CallerInput & { readonly id: number }, caller, engine): Promise<ContentRow> => {
    const { status } = await lockTrashed(db, id, caller);
    await db
      .updateTable('content')
      .set({ ...withVisible({ trashed_at: null, status }), trashed_by: null })
      .where('id', '=', id)
      .execute();
    await dropPassedTime(db, engine, { id, by: caller.userId, now });
    return recordOf(db, id).executeTakeFirstOrThrow();
  },
);
