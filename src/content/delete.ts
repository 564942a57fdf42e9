import type { Caller } from '../domain/account.ts';
import { writeOperation } from '../store/operation.ts';
import { requireChangeable } from './change.ts';
import { unindexTags } from './tags.ts';

interface Deletion {
  readonly id: number;
  readonly caller: Pick<Caller, 'userId' | 'role'>;
}

/** Deletes an item for good; its id is never used again. */
export const deleteContent = writeOperation(
  'content.delete',
  async (db, { id, caller }: Deletion): Promise<void> => {
    const tags = await requireChangeable(db, id, caller);
    await unindexTags(db, id, tags);
    await db.deleteFrom('content').where('id', '=', id).execute();
  },
);
