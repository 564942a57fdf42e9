import type { Db } from '../store/tables.ts';

/** An account as it was when its password was checked. */
export interface CheckedAccount {
  readonly userId: number;
  readonly checkedHash: string;
  /** Replaces `checkedHash` where that was made with older parameters. */
  readonly newHash?: string | undefined;
  readonly hasSecondFactor: boolean;
}

/**
 * Locks the account, and replaces a hash that is outdated. False when the account is not as it was checked: it was
 * disabled, its password was replaced, or its second factor came or went.
 */
export async function lockChecked(
  db: Db,
  { userId, checkedHash, newHash, hasSecondFactor }: CheckedAccount,
): Promise<boolean> {
  const unchanged = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('password_hash', '=', checkedHash)
    .where('disabled_at', 'is', null)
    .where('second_factor', '=', hasSecondFactor ? 1 : 0)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!unchanged) return false;
  if (newHash !== undefined)
    await db.updateTable('users').set({ password_hash: newHash }).where('id', '=', userId).execute();
  return true;
}
