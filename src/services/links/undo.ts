import { type Failure, taken } from '../../domain/failure.ts';
import type { Db } from '../../store/tables.ts';
import { livingLinks } from './links.ts';

/**
 * Called after an account was made whose address was not proved. While the undo link of an address lives, the address
 * is reserved for its earlier account. Otherwise a thief who changed the address could keep the owner out. Fails with
 * `taken`.
 */
export async function requireNoUndoLink(db: Db, emailKey: string, now: number): Promise<void> {
  const undo = await livingLinks(db, 'revert_email', now)
    .select('id')
    .where('email_key', '=', emailKey)
    .executeTakeFirst();
  if (undo) throw addressTaken();
}

export function addressTaken(): Failure {
  return taken('email', 'An account with this e-mail address exists; log in instead.');
}
