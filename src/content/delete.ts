import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { lockChangeable } from './change.ts';
import { type OnlyIf, requireState } from './precondition.ts';
import { removeItems } from './remove-items.ts';
import { withVisible } from './visibility.ts';

interface Deletion extends CallerInput {
  readonly id: number;
  readonly onlyIf?: OnlyIf | undefined;
  /** True where the service keeps no trash. */
  readonly isForGood: boolean;
}

/** Moves an item to the trash. Fails with `not_found`, `forbidden` or `version_conflict`. */
export const deleteContent = callerWrite(
  'content.delete',
  async (db, { id, onlyIf, now, isForGood }: Deletion, caller): Promise<void> => {
    const item = await lockChangeable(db, id, caller);
    await requireState(db, item, onlyIf);
    if (isForGood) return removeItems(db, [id]);
    const { status } = item;
    const trashed_by = caller.userId === item.author_id ? null : caller.userId;
    await db
      .updateTable('content')
      .set({ ...withVisible({ trashed_at: now, status }), trashed_by })
      .where('id', '=', id)
      .execute();
  },
);
