import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import { requireChangeable } from './change.ts';
import type { ContentChange, ContentRow } from './contract.ts';
import { selectRecords } from './find.ts';

interface Update extends CallerInput {
  readonly id: number;
  readonly change: ContentChange;
}

/** Changes the members that are given, keeps the others, and returns the row as it is now. */
export const updateContent = callerWrite(
  'content.update',
  async (db, { id, change, now }: Update, caller): Promise<ContentRow> => {
    await requireChangeable(db, id, caller);
    const { tags, ...members } = change;
    await db
      .updateTable('content')
      .set((eb) => ({
        ...members,
        ...(tags ? { tags: JSON.stringify(tags) } : {}),
        version: eb('version', '+', 1),
        updated_at: now,
      }))
      .where('id', '=', id)
      .execute();
    return selectRecords(db).where('content.id', '=', id).executeTakeFirstOrThrow();
  },
);
