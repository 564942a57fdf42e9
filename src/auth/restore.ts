import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { writeOperation } from '../store/operation.ts';
import { type Credentials, provePassword } from './login.ts';
import type { AuthParts } from './parts.ts';

interface Restoration {
  readonly userId: number;
  /** The hash that the password was checked against. */
  readonly checkedHash: string;
  readonly now: number;
  readonly origin: Origin;
}

/** Opens a closed account again, unless its time is over. */
export const restoreAccount = writeOperation(
  'auth.restore_account',
  async (db, { userId, checkedHash, now, origin }: Restoration): Promise<void> => {
    const restored = await db
      .updateTable('users')
      .set({ visible: 1, closes_at: null, closing_content: null })
      .where('id', '=', userId)
      .where('password_hash', '=', checkedHash)
      .where('closes_at', '>', now)
      .returning('id')
      .executeTakeFirst();
    if (!restored) return;
    await recordEvent(db, { event: 'account_restored', at: now, origin, accountId: userId, actorId: userId });
  },
);

/**
 * Takes a closed account back: its owner knows the password, by which a guess costs what it costs at a sign-in. An account
 * that is open stays so. Fails as `provePassword` does.
 */
export async function restore(parts: AuthParts, credentials: Credentials, origin: Origin): Promise<void> {
  const { account } = await provePassword(parts, credentials, origin);
  const { id: userId, password_hash: checkedHash } = account;
  await parts.store.write(restoreAccount, { userId, checkedHash, now: parts.clock(), origin });
}
