import type { Updateable } from 'kysely';
import type { Db, Tables } from '../store/tables.ts';
import type { LockedItem } from './change.ts';
import type { Written } from './fields.ts';
import { keepVersion, type Past } from './keep-version.ts';
import { ITEM_STORED } from './stored.ts';

interface NextVersion {
  /** What people say of the item that is otherwise than in the version before. */
  readonly columns: Partial<Written>;
  /** What follows from that. */
  readonly besides?: Updateable<Tables['content']>;
  /** The account that makes the version. */
  readonly by: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly past: Past | undefined;
}

/**
 * Gives the locked item its next version, and keeps the one before. Returns the bytes that this added to what its author
 * has stored (below 0 for fewer).
 */
export async function writeVersion(
  db: Db,
  item: LockedItem,
  { columns, besides = {}, by, now, past }: NextVersion,
): Promise<number> {
  const kept = await keepVersion(db, { item, members: Object.keys(columns), now, past });
  const { stored } = await db
    .updateTable('content')
    .set({
      ...columns,
      ...besides,
      version: item.version + 1,
      updated_at: now,
      changed_by: by === item.author_id ? null : by,
    })
    .where('id', '=', item.id)
    .returning(ITEM_STORED.as('stored'))
    .executeTakeFirstOrThrow();
  return kept + stored - item.stored;
}

/** After a change that no draft could overwrite: a draft that was over the last version is over the new one. */
export async function keepDraftOver(
  db: Db,
  { id, version }: Pick<LockedItem, 'id' | 'version'>,
): Promise<void> {
  await db
    .updateTable('content_drafts')
    .set({ over_version: version + 1 })
    .where('content_id', '=', id)
    .where('over_version', '=', version)
    .execute();
}
