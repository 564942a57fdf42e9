import { isChangeableBy, type LockedItem } from '../content/change.ts';
import type { SizeRequest } from '../content/draft-items.ts';
import { type OnlyIf, requireState } from '../content/precondition.ts';
import { ITEM_BYTES, ITEM_STORED } from '../content/stored.ts';
import type { Caller } from '../domain/account.ts';
import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** The items in the trash. Nothing else reads what is there, but for the export and the removal of accounts. */
export function selectTrash(db: Db) {
  return db.selectFrom('content').where('content.trashed_at', 'is not', null);
}

/**
 * The rule of the trash: the author, an editor or an admin knows what is there. Called inside the write that it guards, and
 * locks the item until that write ends, but never one of which the caller may not know. Fails with `not_found`.
 */
export async function lockTrashed(db: Db, id: number, caller: Pick<Caller, 'userId'>): Promise<LockedItem> {
  const item = await selectTrash(db)
    .select(['id', 'author_id', 'version', 'updated_at', 'changed_by', 'status', 'publish_at'])
    .select(ITEM_STORED.as('stored'))
    .where('id', '=', id)
    .where(isChangeableBy(caller))
    .forUpdate()
    .executeTakeFirst();
  if (item) return item;
  throw notFound('content item in the trash');
}

/** The rule of If-Match in the trash, where an item has the tag that it had before. Fails with `version_conflict`. */
export function requireTrashedState(db: Db, item: LockedItem, onlyIf: OnlyIf | undefined): Promise<void> {
  const message = `The item was changed before it was moved to the trash: it is at version ${item.version}. Look at it there, and send your request again without If-Match.`;
  return requireState(db, item, onlyIf, message);
}

/** The bytes of an item in the trash; 0 where there is none that the account may know of (`lockTrashed`). */
export const sizeOfTrashed = readOperation(
  'trash.size',
  async (db, request: SizeRequest): Promise<number> => {
    const item = await selectTrash(db)
      .where(isChangeableBy(request))
      .select(ITEM_BYTES.as('bytes'))
      .where('id', '=', request.id)
      .executeTakeFirst();
    return item?.bytes ?? 0;
  },
);
