import { Failure } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** An account as it was when its password was checked, or another proof. */
export interface CheckedAccount {
  readonly userId: number;
  /** The hash as it was read then. A sign-in without a password has it too: a new password ends that sign-in. */
  readonly checkedHash: string;
  /** Replaces `checkedHash` where that was made with older parameters. */
  readonly newHash?: string | undefined;
  readonly hasSecondFactor: boolean;
}

/** An account that may sign in: neither disabled nor closed, and in no need of a new password. */
const OPEN = { disabled_at: null, closes_at: null, must_change_password: 0 } as const;

/** Locks an account for a sign-in whose proof is checked next. Undefined where the account may not sign in. */
export async function lockOpen(db: Db, userId: number, engine: Engine) {
  await engine.lock(db, `account ${userId}`);
  return db
    .selectFrom('users')
    .select(['username', 'email'])
    .where((eb) => eb.and({ id: userId, ...OPEN }))
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Stores when the account signed in, after its proof was good: a write whose proof is bad commits too. */
export async function noteSignIn(db: Db, userId: number, now: number): Promise<void> {
  await db.updateTable('users').set({ last_sign_in_at: now }).where('id', '=', userId).execute();
}

/**
 * Locks the account, replaces an outdated hash, and stores when a session begins. False where the account has changed
 * since the check: it is not open any more, or its password was replaced, or its second factor was added or removed.
 */
export async function lockChecked(
  db: Db,
  checked: CheckedAccount & { readonly signedInAt?: number },
  engine: Engine,
): Promise<boolean> {
  const { userId, checkedHash, newHash, hasSecondFactor, signedInAt } = checked;
  await engine.lock(db, `account ${userId}`);
  const unchanged = await db
    .updateTable('users')
    .set({
      password_hash: newHash ?? checkedHash,
      ...(signedInAt === undefined ? {} : { last_sign_in_at: signedInAt }),
    })
    .where((eb) => eb.and({ id: userId, ...OPEN, password_hash: checkedHash }))
    .where('second_factor', '=', hasSecondFactor ? 1 : 0)
    .returning('id')
    .executeTakeFirst();
  return unchanged !== undefined;
}

interface AccountState {
  readonly disabled_at: number | null;
  readonly closes_at: number | null;
  readonly must_change_password: 0 | 1;
}

/** False for a disabled account, and for one to be removed. Both look as if there were no account. */
export function isUsable({ disabled_at, closes_at }: AccountState, now: number): boolean {
  return disabled_at === null && (closes_at === null || closes_at > now);
}

/** False for an account that is disabled, is closed or must choose a new password. */
export function maySignIn({ disabled_at, closes_at, must_change_password }: AccountState): boolean {
  return disabled_at === null && closes_at === null && must_change_password === 0;
}

/** Why a user who has proved the password may not sign in. Undefined for a user who may. */
export function signInRefusal({ closes_at, must_change_password }: AccountState): Failure | undefined {
  if (closes_at !== null) {
    const message = `This account is closed, and will be removed on ${isoTime(closes_at)}. To keep it, send the same user name and password to POST /api/auth/restore, and log in again.`;
    return new Failure({ error: 'account_closed', message });
  }
  if (must_change_password === 1) {
    const message =
      'An admin requires a new password. POST /api/auth/password/forgotten mails a link to choose one.';
    return new Failure({ error: 'password_change_required', message });
  }
  return undefined;
}
