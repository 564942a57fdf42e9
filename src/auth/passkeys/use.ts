import type { Db } from '../../store/tables.ts';
import type { OpenedChallenge } from './challenges.ts';
import { useChallenge } from './used-challenges.ts';

/** A use of a passkey that was checked as far as that goes without a write. */
export interface PasskeyProof {
  readonly passkeyId: string;
  /** Of signatures, as the authenticator says. */
  readonly counter: number;
  readonly challenge: OpenedChallenge;
  readonly now: number;
}

/**
 * Uses the challenge up and records the use, inside the write that it lets through, which has locked the account. Returns
 * why not: the passkey is not one of the account, its counter did not go on, or the challenge was used before. A counter
 * that does not go on says that two authenticators may have one key (WebAuthn, 6.1.1).
 */
export async function usePasskey(
  db: Db,
  userId: number,
  { passkeyId, counter, challenge, now }: PasskeyProof,
): Promise<'challenge' | 'removed' | 'counter' | undefined> {
  const own = db.selectFrom('passkeys').where('id', '=', passkeyId).where('user_id', '=', userId);
  const last = await own.select('counter').executeTakeFirst();
  if (!last) return 'removed';
  const hasNone = last.counter === 0 && counter === 0;
  if (!hasNone && counter <= last.counter) return 'counter';
  if (!(await useChallenge(db, challenge))) return 'challenge';
  await db.updateTable('passkeys').set({ counter, last_used_at: now }).where('id', '=', passkeyId).execute();
  return undefined;
}
