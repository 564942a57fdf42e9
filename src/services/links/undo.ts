import { type Failure, taken } from '../../domain/failure.ts';
import { isSameMailbox } from '../../domain/text.ts';
import type { Db } from '../../store/tables.ts';
import { livingLinks } from './links.ts';

interface Holder {
  readonly id: number;
  readonly email: string;
  readonly email_key: string;
  readonly isProved: boolean;
}

/**
 * Called after an account got an address. While the undo link of an address lives, the address is reserved for its earlier
 * account. Otherwise a thief who changed the address could keep the owner out. An account that has proved the same mailbox
 * keeps it. Fails with `taken`.
 */
export async function requireNoUndoLink(
  db: Db,
  { id, email, email_key, isProved }: Holder,
  now: number,
): Promise<void> {
  const undos = await livingLinks(db, 'revert_email', now)
    .select('email')
    .distinct()
    .where('email_key', '=', email_key)
    .where('user_id', '!=', id)
    .execute();
  if (undos.some((undo) => !isProved || !isSameMailbox(undo.email, email))) throw addressTaken();
}

export function addressTaken(): Failure {
  return taken('email', 'An account with this e-mail address exists; log in instead.');
}
