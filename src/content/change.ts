import type { ExpressionBuilder } from 'kysely';
import { type Caller, MODERATORS, moderatesContent } from '../domain/account.ts';
import { forbidden, notFound } from '../domain/failure.ts';
import type { Db, Tables } from '../store/tables.ts';
import { ITEM_STORED } from './stored.ts';
import { type Status, selectWithDrafts } from './visibility.ts';

/** An item that the write has locked. */
export interface LockedItem {
  readonly id: number;
  readonly author_id: number;
  readonly version: number;
  /** When the version was made, in milliseconds since 1970. */
  readonly updated_at: number;
  /** Null where its author made the version. */
  readonly changed_by: number | null;
  readonly status: Status;
  /** Milliseconds since 1970; null where no time was set. */
  readonly publish_at: number | null;
  /** Bytes that it counts as. */
  readonly stored: number;
}

/** True of the items that an account may change: its own, and those of all authors for editors and admins. */
export function isChangeableBy({ userId }: Pick<Caller, 'userId'>) {
  return (eb: ExpressionBuilder<Tables, 'content'>) =>
    eb.or([
      eb('content.author_id', '=', userId),
      eb.exists(
        eb
          .selectFrom('users as reader')
          .select('reader.id')
          .where('reader.id', '=', userId)
          .where('reader.role', 'in', MODERATORS),
      ),
    ]);
}

/**
 * The rule for changing and deleting: the author, an editor or an admin (docs/decisions/content.md). Called inside the
 * write that it guards, and locks the item until that write ends, but never one that the caller may not change. Fails with
 * `not_found` or `forbidden`.
 */
export async function lockChangeable(db: Db, id: number, caller: Caller): Promise<LockedItem> {
  const locked = await lockingItem(db, id).where(isChangeableBy(caller)).executeTakeFirst();
  if (locked) return locked;
  const items = selectWithDrafts(db).select(['author_id', 'status']);
  const item = await items.where('id', '=', id).executeTakeFirst();
  if (item) requireMayChange(item, caller);
  throw notFound('content item');
}

/** The same without the rule. Undefined where there is no such item outside of the trash. */
export function lockItem(db: Db, id: number): Promise<LockedItem | undefined> {
  return lockingItem(db, id).executeTakeFirst();
}

function lockingItem(db: Db, id: number) {
  return selectWithDrafts(db)
    .select(['id', 'author_id', 'version', 'updated_at', 'changed_by', 'status', 'publish_at'])
    .select(ITEM_STORED.as('stored'))
    .where('id', '=', id)
    .forUpdate();
}

/** Fails with `forbidden`, and with `not_found` for a draft, of which the caller may not know. */
export function requireMayChange(
  { author_id, status }: Pick<LockedItem, 'author_id' | 'status'>,
  { userId, role }: Pick<Caller, 'userId' | 'role'>,
): void {
  if (author_id === userId || moderatesContent(role)) return;
  if (status === 'draft') throw notFound('content item');
  throw forbidden('Only the author, an editor or an admin may do this.');
}
