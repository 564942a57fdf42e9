import { noAddress } from '../domain/no-address.ts';
import type { Origin } from '../domain/origin.ts';
import { isSameMailbox } from '../domain/text.ts';
import { recordEvent } from '../services/audit/record.ts';
import { endPending } from '../services/links/links.ts';
import { addressTaken } from '../services/links/undo.ts';
import { translateUnique } from '../store/constraint.ts';
import type { Db } from '../store/tables.ts';

interface Proven {
  readonly user_id: number;
  readonly email: string;
  readonly email_key: string;
}

/**
 * Gives the account the address that was proved just now, inside a write that locks 'proving addresses'. Another account
 * that never proved the address loses it, with all links that were mailed there. That account goes on without an address,
 * and its owner reads of it in the audit trail (docs/decisions/addresses-and-mail.md). Fails with `taken` where another
 * account has proved the address, or has it in a spelling that may be another mailbox.
 */
export async function setProvenAddress(
  db: Db,
  { user_id, email, email_key }: Proven,
  { now, origin }: { readonly now: number; readonly origin: Origin },
): Promise<void> {
  const holder = await db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified_at'])
    .where('email_key', '=', email_key)
    .where('id', '!=', user_id)
    .forUpdate()
    .executeTakeFirst();
  if (holder) {
    // Another spelling may be the mailbox of another person, of which nothing was proved.
    if (holder.email_verified_at !== null || !isSameMailbox(holder.email, email)) throw addressTaken();
    const none = noAddress();
    const lost = { email: none, email_key: none };
    await db.updateTable('users').set(lost).where('id', '=', holder.id).execute();
    await endPending(db, holder.id);
    await recordEvent(db, { event: 'email_lost', at: now, origin, accountId: holder.id, actorId: user_id });
  }
  try {
    const address = { email, email_key, email_verified_at: now };
    await db.updateTable('users').set(address).where('id', '=', user_id).execute();
  } catch (error) {
    translateUnique(error, { users_email_key: addressTaken });
  }
}
