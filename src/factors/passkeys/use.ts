import type { Db } from '../../store/tables.ts';
import type { Factor, Proofs } from '../factor.ts';
import type { OpenedChallenge } from './challenges.ts';

/** A use of a passkey that was checked as far as possible without a write. */
export type PasskeyProof = Proofs['passkey'];

/**
 * Uses the challenge up and records the use, inside the write that needs it, which has locked the account. Returns why
 * not: the account does not have the passkey, the counter did not increase, or the challenge was used before. A counter
 * that does not increase says that two authenticators may have one key (WebAuthn, 6.1.1).
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

/** Uses the challenge up, inside the write that needs it. False where it was used before, on any instance. */
export async function useChallenge(db: Db, { hash, expiresAt }: OpenedChallenge): Promise<boolean> {
  const used = await db
    .insertInto('used_challenges')
    .values({ challenge_hash: hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('challenge_hash').doNothing())
    .returning('challenge_hash')
    .executeTakeFirst();
  return used !== undefined;
}

/** Passkeys as a second factor, after a password. */
export const passkeyFactor: Factor<'passkey'> = {
  standsAlone: true,
  isSetUp: async (db, userId) => {
    const one = db.selectFrom('passkeys').select('id').where('user_id', '=', userId).limit(1);
    return (await one.executeTakeFirst()) !== undefined;
  },
  use: async (db, userId, proof) => (await usePasskey(db, userId, proof)) === undefined,
  remove: async (db, userId, since) => {
    await db.deleteFrom('passkeys').where('user_id', '=', userId).where('created_at', '>=', since).execute();
  },
};
