import { endChallenges } from '../accounts/end-pending.ts';
import type { By } from '../domain/by.ts';
import { forbidden } from '../domain/failure.ts';
import type { SecondFactor } from '../domain/second-factor.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Db } from '../store/tables.ts';
import type { Factor, Proof } from './factor.ts';
import { passkeyFactor } from './passkeys/factor.ts';
import { recoveryCodes } from './second-factor/recovery-codes.ts';
import { totp } from './second-factor/totp-secrets.ts';

/** The one list of them. `second-factor/prove.ts` has what is checked of each before the write. */
const FACTORS: { readonly [Kind in SecondFactor]: Factor<Kind> } = {
  totp,
  passkey: passkeyFactor,
  recovery_code: recoveryCodes,
};
const KINDS = Object.entries(FACTORS) as readonly (readonly [SecondFactor, Factor<SecondFactor>])[];

export function useProof<Kind extends SecondFactor>(
  db: Db,
  userId: number,
  proof: Proof<Kind>,
): Promise<boolean> {
  return FACTORS[proof.kind].use(db, userId, proof);
}

/** The kinds that the account has. */
export async function factorsOf(db: Db, userId: number): Promise<SecondFactor[]> {
  const kinds: SecondFactor[] = [];
  for (const [kind, { isSetUp }] of KINDS) if (await isSetUp(db, userId)) kinds.push(kind);
  return kinds;
}

/**
 * Called by each write that added or removed a factor, last but for its events: keeps `users.second_factor`, and with the
 * last factor removes what only stands in for one. Fails with `forbidden` where the account must have a factor and has
 * none left.
 */
export async function settleFactors(
  db: Db,
  userId: number,
  { mustHave }: { mustHave: boolean },
): Promise<void> {
  const kinds = await factorsOf(db, userId);
  const hasFactor = kinds.some((kind) => FACTORS[kind].standsAlone);
  if (!hasFactor && mustHave) {
    throw forbidden('Your account must have a second factor; add another before you remove the last one.');
  }
  if (!hasFactor) return removeFactors(db, userId);
  await noteFactor(db, userId, 1);
}

/** Removes all factors of the account, and ends the sign-ins that wait for one. */
async function removeFactors(db: Db, userId: number): Promise<void> {
  for (const [, { remove }] of KINDS) await remove(db, userId, 0);
  await endChallenges(db, userId);
  await noteFactor(db, userId, 0);
}

interface Loss extends By {
  readonly userId: number;
  /** Factors that were set up before stay; 0 for none. */
  readonly since: number;
}

/**
 * Removes the factors that were set up from a moment on, because their owner lost them, or because somebody else may have
 * set them up. Recovery codes go in any case, since nobody knows who has them. Returns the kinds that are gone.
 */
export async function resetFactors(
  db: Db,
  { userId, since, now, origin, actor }: Loss,
): Promise<SecondFactor[]> {
  const before = await factorsOf(db, userId);
  for (const [, { remove }] of KINDS) await remove(db, userId, since);
  await endChallenges(db, userId);
  await settleFactors(db, userId, { mustHave: false });
  const after = await factorsOf(db, userId);
  const removed = before.filter((kind) => !after.includes(kind));
  if (removed.length === 0) return [];
  const about = { accountId: userId, detail: { removed: removed.join(', ') } };
  await recordEvent(db, { event: 'second_factors_reset', at: now, origin, ...about, ...actor });
  return removed;
}

async function noteFactor(db: Db, userId: number, second_factor: 0 | 1): Promise<void> {
  await db.updateTable('users').set({ second_factor }).where('id', '=', userId).execute();
}
