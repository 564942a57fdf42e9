import type { Db } from '../../store/tables.ts';

/** A use of a passkey whose signature was checked. */
export interface PasskeyUse {
  readonly passkeyId: string;
  /** The account that the passkey has to be of. */
  readonly userId: number;
  /** As the authenticator says. */
  readonly counter: number;
  readonly now: number;
}

/**
 * Records a use, inside the write that it is for, which has locked the account. Returns why not, where the passkey was
 * removed since the check, or where its counter did not go on: then two authenticators may have one key (WebAuthn, 6.1.1).
 */
export async function recordPasskeyUse(
  db: Db,
  { passkeyId, userId, counter, now }: PasskeyUse,
): Promise<'removed' | 'counter' | undefined> {
  const own = db.selectFrom('passkeys').where('id', '=', passkeyId).where('user_id', '=', userId);
  const last = await own.select('counter').executeTakeFirst();
  if (!last) return 'removed';
  const hasNone = last.counter === 0 && counter === 0;
  if (!hasNone && counter <= last.counter) return 'counter';
  await db.updateTable('passkeys').set({ counter, last_used_at: now }).where('id', '=', passkeyId).execute();
  return undefined;
}
