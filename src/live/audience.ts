import { moderatesContent, type Role } from '../domain/account.ts';
import type { FeedChange } from '../services/changes/read.ts';

/** Who listens. No account has the id 0: with it, what follows from the role only. */
export interface Reader {
  readonly userId: number;
  readonly role: Role;
}

/** The setting USERS_LIST. */
export type UsersList = 'members' | 'admins';

/**
 * How much of a change a reader is told. `in part` is without who made it, which only those may know who may read the
 * versions of the item.
 */
export type Told = 'in full' | 'in part' | 'not at all';

/** Decides by the change as it is in the feed, and by the role that the reader has now. */
export function toldTo({ userId, role }: Reader, change: FeedChange, usersList: UsersList): Told {
  const isOfAccount = change.item_id === null;
  if (change.owner_id === userId || role === 'admin') return 'in full';
  if (!isOfAccount && moderatesContent(role)) return 'in full';
  if (change.audience !== 'all') return 'not at all';
  return isOfAccount && usersList === 'admins' ? 'not at all' : 'in part';
}
