import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { writeOperation } from '../store/operation.ts';

interface Restoration {
  readonly userId: number;
  /** The hash that the password was checked against. */
  readonly checkedHash: string;
  readonly now: number;
  readonly origin: Origin;
}

/** Opens a closed account again, unless its time is over. An account that is open stays so. */
export const restoreAccount = writeOperation(
  'sign_in.restore_account',
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
