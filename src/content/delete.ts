import type { Caller } from '../domain/account.ts';
import { writeOperation } from '../store/operation.ts';
import { requireChangeable } from './change.ts';

interface Deletion {
  readonly id: number;
  readonly caller: Pick<Caller, 'userId' | 'role'>;
}

/** Deletes an item for good; its id is never used again. */
export const deleteContent = writeOperation(
  'content.delete',
  async (db, { id, caller }: Deletion, engine): Promise<void> => {
    const labels = await requireChangeable(db, id, caller);
    await engine.contentRelabelled(db, id, labels, undefined);
    await db.deleteFrom('content').where('id', '=', id).execute();
  },
);
