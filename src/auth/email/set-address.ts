import { endPending } from '../../accounts/end-pending.ts';
import { noAddress } from '../../domain/no-address.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { translateUnique } from '../../store/constraint.ts';
import type { Db } from '../../store/tables.ts';
import { addressTaken } from './links.ts';

interface Proven {
  readonly user_id: number;
  readonly email: string;
  readonly email_key: string;
}

interface Change {
  readonly now: number;
  readonly origin: Origin;
  readonly password_hash?: string;
}

/** The account of a link, locked until the write ends; undefined where it is disabled. */
export function lockAccountOf(db: Db, { user_id }: Pick<Proven, 'user_id'>) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'email_key', 'email_verified_at'])
    .where('id', '=', user_id)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/**
 * Gives the account the address that was proved just now, inside a write that has the lock `PROVING`. Fails with `taken`
 * where another account has proved it.
 */
export async function setProvenAddress(db: Db, proven: Proven, change: Change): Promise<void> {
  await takeFromUnproven(db, proven, change);
  const { user_id, email, email_key } = proven;
  const { now, origin: _, ...others } = change;
  try {
    await db
      .updateTable('users')
      .set({ email, email_key, email_verified_at: now, ...others })
      .where('id', '=', user_id)
      .execute();
  } catch (error) {
    translateUnique(error, { users_email_key: addressTaken });
  }
}

/**
 * Another account that never proved the address loses it, with all links that were mailed there. It goes on without one, and
 * its owner reads of it in the trail (decisions 0071).
 */
async function takeFromUnproven(
  db: Db,
  { user_id, email_key }: Proven,
  { now, origin }: Change,
): Promise<void> {
  const none = noAddress();
  const loser = await db
    .updateTable('users')
    .set({ email: none, email_key: none })
    .where('email_key', '=', email_key)
    .where('id', '!=', user_id)
    .where('email_verified_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!loser) return;
  await endPending(db, loser.id);
  await recordEvent(db, { event: 'email_lost', at: now, origin, accountId: loser.id, actorId: user_id });
}
