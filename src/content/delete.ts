import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { lockChangeable } from './change.ts';
import { removeHistoryOf } from './old-versions.ts';
import { type OnlyIf, requireState } from './precondition.ts';

interface Deletion extends CallerInput {
  readonly id: number;
  readonly onlyIf?: OnlyIf | undefined;
}

export const deleteContent = callerWrite(
  'content.delete',
  async (db, { id, onlyIf }: Deletion, caller): Promise<void> => {
    await requireState(db, await lockChangeable(db, id, caller), onlyIf);
    await removeHistoryOf(db, id);
    await db.deleteFrom('content').where('id', '=', id).execute();
  },
);
