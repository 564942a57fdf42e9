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
 * What every way to sign in asks of an account, in the statement that locks it: it is neither disabled nor closed, and
 * needs no new password.
 */
export function openAccount(db: Db, userId: number) {
  return db
    .updateTable('users')
    .where('id', '=', userId)
    .where('disabled_at', 'is', null)
    .where('closes_at', 'is', null)
    .where('must_change_password', '=', 0);
}

/**
 * Locks the account, replaces a hash that is outdated, and notes when a session begins. False when the account is not as
 * it was checked: it is not open any more, its password was replaced, or its second factor came or went.
 */
export async function lockChecked(
  db: Db,
  checked: CheckedAccount & { readonly signedInAt?: number },
): Promise<boolean> {
  const { userId, checkedHash, newHash, hasSecondFactor, signedInAt } = checked;
  const unchanged = await openAccount(db, userId)
    .set({
      password_hash: newHash ?? checkedHash,
      ...(signedInAt === undefined ? {} : { last_sign_in_at: signedInAt }),
    })
    .where('password_hash', '=', checkedHash)
    .where('second_factor', '=', hasSecondFactor ? 1 : 0)
    .returning('id')
    .executeTakeFirst();
  return unchanged !== undefined;
}
