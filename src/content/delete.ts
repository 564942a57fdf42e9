import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import { requireChangeable } from './change.ts';

interface Deletion extends CallerInput {
  readonly id: number;
}

/** Deletes an item for good; its id is never used again. */
export const deleteContent = callerWrite(
  'content.delete',
  async (db, { id }: Deletion, caller): Promise<void> => {
    await requireChangeable(db, id, caller);
    await db.deleteFrom('content').where('id', '=', id).execute();
  },
);
