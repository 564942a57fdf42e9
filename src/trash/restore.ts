import type { ContentRow } from '../content/contract.ts';
import { selectRecords } from '../content/find.ts';
import { withVisible } from '../content/visibility.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { lockTrashed } from './find.ts';

/** Takes an item out of the trash, as it was, and returns its row. Fails with `not_found`. */
export const restoreItem = callerWrite(
  'trash.restore',
  async (db, { id }: CallerInput & { readonly id: number }, caller): Promise<ContentRow> => {
    await lockTrashed(db, id, caller);
    await db
      .updateTable('content')
      .set({ ...withVisible({ trashed_at: null }), trashed_by: null })
      .where('id', '=', id)
      .execute();
    return selectRecords(db, 'account').where('content.id', '=', id).executeTakeFirstOrThrow();
  },
);
